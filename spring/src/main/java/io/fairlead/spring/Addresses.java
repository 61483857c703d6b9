package io.fairlead.spring;

import io.fairlead.config.ConfigKey;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads addresses from properties. A refusal is the second half of a sentence that begins with the property. */
final class Addresses {
    private static final int PORT_MAX = 65_535;

    private Addresses() {}

    /** Makes a key for an address or nothing. */
    static ConfigKey<String> key(String name, String description) {
        return ConfigKey.of(
                name, String.class, "", "", "host:port, or [IPv6 address]:port", description, Addresses::checked);
    }

    private static String checked(String text) {
        if (!text.isBlank()) {
            unresolved(text);
        }
        return text.strip();
    }

    /** The address, its name resolved now. */
    static InetSocketAddress resolved(String text) {
        InetSocketAddress address = unresolved(text);
        return new InetSocketAddress(address.getHostString(), address.getPort());
    }

    static InetSocketAddress unresolved(String text) {
        String address = text.strip();
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? "" : address.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":")) {
            throw new IllegalArgumentException("is not an address: address=" + text);
        }
        int port = port(address.substring(colon + 1));
        if (host.isBlank() || port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("is not an address: address=" + text);
        }
        return InetSocketAddress.createUnresolved(host, port);
    }

    private static int port(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException noNumber) {
            return -1;
        }
    }

    /** The addresses of peers by their names, in their order. */
    static Map<String, String> named(String text) {
        Map<String, String> addresses = new LinkedHashMap<>();
        for (String entry : text.split(",", -1)) {
            if (entry.isBlank()) {
                continue;
            }
            String[] parts = entry.strip().split("=", 2);
            if (parts.length < 2 || parts[0].isBlank()) {
                throw new IllegalArgumentException("is no list of name=host:port: entry=" + entry.strip());
            }
            unresolved(parts[1]);
            if (addresses.put(parts[0].strip(), parts[1].strip()) != null) {
                throw new IllegalArgumentException("names a peer twice: name=" + parts[0].strip());
            }
        }
        return addresses;
    }
}
