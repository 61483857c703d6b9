package io.fairlead.internal.access;

import io.fairlead.internal.names.ShownText;
import java.net.InetAddress;
import java.util.regex.Pattern;

/**
 * A range of addresses with a common prefix, as in {@code 10.1.0.0/16}.
 *
 * @param address the first address
 * @param bits length of the common prefix in bits
 */
record Network(InetAddress address, int bits) {
    private static final Pattern IPV4 = Pattern.compile("(0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){3}");

    /**
     * Reads an address, or an address and a number of bits.
     *
     * @throws IllegalArgumentException if it is neither
     */
    static Network of(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        InetAddress address;
        try {
            address = InetAddress.ofLiteral(literal);
        } catch (IllegalArgumentException notAnAddress) {
            throw new IllegalArgumentException(
                    "network=" + ShownText.of(text)
                            + " is no address; write one such as 10.1.0.0/16 or fd00::/8, or connect = true or false without quotes",
                    notAnAddress);
        }
        if (literal.indexOf(':') < 0 && !IPV4.matcher(literal).matches()) {
            // Java reads 127.1 as 127.0.0.1, and 010.0.0.1 as 10.0.0.1; others read that as 8.0.0.1.
            throw new IllegalArgumentException("network=" + ShownText.of(text)
                    + " is no address of four numbers without leading zeros; write "
                    + address.getHostAddress() + (slash < 0 ? "" : text.substring(slash))
                    + " if that is what is meant");
        }
        int bitsMax = address.getAddress().length * Byte.SIZE;
        int bits = slash < 0 ? bitsMax : bits(text, slash, bitsMax);
        Network network = new Network(address, bits);
        if (network.hasHostBits()) {
            throw new IllegalArgumentException("network=" + ShownText.of(text) + " has bits set behind its first "
                    + bits + "; write the network's first address, or /" + bitsMax + " for one address");
        }
        return network;
    }

    private boolean hasHostBits() {
        byte[] bytes = address.getAddress();
        for (int i = bits; i < bytes.length * Byte.SIZE; i++) {
            if ((bytes[i / Byte.SIZE] & 0x80 >> (i % Byte.SIZE)) != 0) {
                return true;
            }
        }
        return false;
    }

    private static int bits(String text, int slash, int max) {
        try {
            int bits = Integer.parseInt(text.substring(slash + 1));
            if (bits >= 0 && bits <= max) {
                return bits;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below.
        }
        throw new IllegalArgumentException(
                "network=" + ShownText.of(text) + " has a wrong number of bits; allowed 0 to " + max);
    }

    boolean contains(InetAddress other) {
        byte[] mine = address.getAddress();
        byte[] theirs = other.getAddress();
        if (mine.length != theirs.length) {
            return false;
        }
        for (int i = 0; i < bits; i++) {
            int mask = 0x80 >> (i % Byte.SIZE);
            if (((mine[i / Byte.SIZE] ^ theirs[i / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
