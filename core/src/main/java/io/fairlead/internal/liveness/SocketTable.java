package io.fairlead.internal.liveness;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Linux' table of TCP connections. It contains the number of unanswered retransmissions of each connection. It needs no
 * native access and costs nothing while nobody reads it.
 */
class SocketTable {
    /** The tables of this process's network namespace. */
    private static final Path FOLDER = Path.of("/proc/self/net");

    private static final List<String> FILES = List.of("tcp", "tcp6");
    private static final Pattern SPACES = Pattern.compile(" +");
    /** The prefix of an IPv4 address in an IPv6 socket, which Java uses. */
    private static final String MAPPED =
            words(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xFF, (byte) 0xFF}, ByteOrder.nativeOrder());

    /**
     * The fields after the addresses: state, queues, timer, retransmissions (hexadecimal), user, probes of an idle or a
     * closed window.
     */
    private static final int RETRANSMISSIONS = 3;

    private static final int PROBES = 5;

    /**
     * A live host's kernel sometimes leaves one probe unanswered: a packet is lost, or two probes of a closed window
     * arrive within the half second in which it answers only one.
     */
    private static final int UNANSWERED_MIN = 2;

    private final Path folder;

    SocketTable(Path folder) {
        this.folder = folder;
    }

    /** The table of this system, which may have none. */
    static SocketTable ofSystem() {
        return new SocketTable(FOLDER);
    }

    /** The text of a connection in the table. */
    static String key(InetSocketAddress local, InetSocketAddress remote) {
        return text(local) + " " + text(remote);
    }

    private static String text(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        return words(host.getAddress(), ByteOrder.nativeOrder()) + ":"
                + HexFormat.of().withUpperCase().toHexDigits((short) address.getPort());
    }

    /** Words of 32 bits in network order, each formatted in this machine's byte order. */
    static String words(byte[] address, ByteOrder machine) {
        ByteBuffer bytes = ByteBuffer.wrap(address).order(machine);
        StringBuilder text = new StringBuilder();
        while (bytes.hasRemaining()) {
            text.append(HexFormat.of().withUpperCase().toHexDigits(bytes.getInt()));
        }
        return text.toString();
    }

    /**
     * Looks for connections.
     *
     * @param keys the connections to look for
     * @return the states of the connections that are in the table
     * @throws IOException if this system has no such table, or it cannot be read
     */
    Map<String, HostAnswer> read(Set<String> keys) throws IOException {
        Map<String, HostAnswer> found = new HashMap<>();
        boolean present = false;
        for (String name : FILES) {
            Path file = folder.resolve(name);
            if (Files.exists(file)) {
                present = true;
                read(file, keys, found);
            }
        }
        if (!present) {
            throw new IOException("this system has no table of TCP connections: path=" + folder.resolve("tcp"));
        }
        return found;
    }

    private static void read(Path file, Set<String> keys, Map<String, HostAnswer> found) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int local = line.indexOf(": ") + 2;
                int remote = line.indexOf(' ', local);
                int end = line.indexOf(' ', remote + 1);
                if (local < 2 || remote < 0 || end < 0) {
                    continue;
                }
                String key = line.substring(local, end).replace(MAPPED, "");
                if (keys.contains(key)) {
                    found.put(key, answer(SPACES.split(line.substring(end + 1))));
                }
            }
        }
    }

    private static HostAnswer answer(String[] fields) throws IOException {
        int unanswered;
        try {
            unanswered = Math.max(Integer.parseInt(fields[RETRANSMISSIONS], 16), Integer.parseInt(fields[PROBES]));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException other) {
            throw new IOException(
                    "the table of TCP connections has another form: fields=" + String.join(" ", fields), other);
        }
        if (unanswered == 0) {
            return HostAnswer.ANSWERS;
        }
        return unanswered < UNANSWERED_MIN ? HostAnswer.AWAITED : HostAnswer.NONE;
    }
}
