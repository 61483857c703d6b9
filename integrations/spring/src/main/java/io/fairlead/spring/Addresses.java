package io.fairlead.spring;

import io.fairlead.config.ConfigKey;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.spi.host.HostPort;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads addresses and names of services from properties. A refusal is the second half of a sentence that begins with the property. */
final class Addresses {
    private Addresses() {}

    /** Makes a key for an address or nothing. */
    static ConfigKey<String> key(String name, String description) {
        return ConfigKey.of(
                name, String.class, "", "", "host:port, or [IPv6 address]:port", description, Addresses::checked);
    }

    /** Makes a key for where others are found: an address, the name of a service, or nothing. */
    static ConfigKey<String> serviceKey(String name, String description) {
        return ConfigKey.of(
                name,
                String.class,
                "",
                "",
                "host:port, [IPv6 address]:port, or a name such as dns:host:port",
                description,
                Addresses::checkedService);
    }

    private static String checked(String text) {
        if (!text.isBlank()) {
            unresolved(text);
        }
        return text.strip();
    }

    private static String checkedService(String text) {
        if (!text.isBlank()) {
            service(text);
        }
        return text.strip();
    }

    /** The name by which the node finds who is there: the host of an address is looked up again and again, as it may move. */
    static String service(String text) {
        return ServiceName.parse(text.strip()).toString();
    }

    /** The address, its name resolved now. */
    static InetSocketAddress resolved(String text) {
        InetSocketAddress address = unresolved(text);
        return new InetSocketAddress(address.getHostString(), address.getPort());
    }

    static InetSocketAddress unresolved(String text) {
        try {
            return HostPort.parse(text.strip(), 0);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("is not an address: address=" + text, malformed);
        }
    }

    /** The addresses of peers by their names, in their order. */
    static Map<String, String> named(String text) {
        Map<String, String> addresses = new LinkedHashMap<>();
        // A comma also stands within names such as static:a:1,b:1, but then no other name begins behind it.
        for (String entry : text.split(",(?=[^,=]*=|\\s*$)", -1)) {
            if (entry.isBlank()) {
                continue;
            }
            String[] parts = entry.strip().split("=", 2);
            if (parts.length < 2 || parts[0].isBlank()) {
                throw new IllegalArgumentException("is no list of name=host:port: entry=" + entry.strip());
            }
            service(parts[1]);
            if (addresses.put(parts[0].strip(), parts[1].strip()) != null) {
                throw new IllegalArgumentException("names a peer twice: name=" + parts[0].strip());
            }
        }
        return addresses;
    }
}
