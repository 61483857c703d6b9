package io.fairlead.transport.ucx;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Descriptors;
import java.util.List;

/** The transport's configuration keys, and other constants of its setup. */
final class UcxKeys {
    /**
     * UCX transports within a host. RDMA transports are added if there is a port for them. UCX's {@code tcp} would
     * listen on every interface without authentication.
     */
    static final ConfigKey<String> TLS = ConfigKey.of(
            "ucx.tls",
            String.class,
            "posix,sysv,cma,self",
            "",
            "names of UCX transports with commas; tcp is refused",
            "The UCX transports that may be used; left as it is, rc and ud are added on hosts with a usable RDMA port.",
            UcxKeys::parseTls);

    /** UCX's name for every device. */
    static final String ALL = "all";

    /** The allowed ports, for a host with several. */
    static final ConfigKey<String> DEVICES = ConfigKey.of(
            "ucx.devices",
            String.class,
            ALL,
            "",
            "names of ports with commas, such as mlx5_0:1, or all",
            "The RDMA ports that may be used.",
            UcxKeys::parseDevices);

    /** UCX's own tcp; only for networks in which every host is trusted with the process's memory. */
    static final ConfigKey<Boolean> TCP = ConfigKey.flag(
            "ucx.tcp-without-authentication",
            false,
            "Lets UCX's own tcp transport run: every host that reaches this one can then write this process's memory.");

    /** Within a host. */
    static final ConfigKey<Boolean> ONE_SIDED = ConfigKey.flag(
            "ucx.one-sided",
            true,
            "Maps regions that a peer on the same host has allocated, so that puts and gets need no progress of the peer.");

    static final List<ConfigKey<?>> VALUES = List.of(TLS, DEVICES, ONE_SIDED, TCP);

    /** Descriptors that UCX needs to open a context or a worker, in addition to the reserve. */
    static final int DESCRIPTORS_MIN = Descriptors.RESERVE + 8;

    private UcxKeys() {}

    /** The allowed ports. */
    static String devices(FairleadConfig config) {
        String devices = config.value(DEVICES);
        return devices.equals(ALL) ? System.getenv().getOrDefault("UCX_NET_DEVICES", ALL) : devices;
    }

    private static String parseTls(String text) {
        if (!text.matches("[a-z0-9_]+(,[a-z0-9_]+)*")) {
            throw new IllegalArgumentException(
                    "ucx.tls=" + text + " is not a list of UCX transports: names with commas");
        }
        if (List.of(text.split(",", -1)).contains("tcp") || text.equals(ALL)) {
            throw new IllegalArgumentException("ucx.tls=" + text
                    + " would open UCX's unauthenticated tcp transport; leave tcp out, Fairlead has its own, or set"
                    + " ucx.tcp-without-authentication");
        }
        return text;
    }

    private static String parseDevices(String text) {
        if (!text.equals(ALL) && !text.matches("[A-Za-z0-9_.-]+:\\d+(,[A-Za-z0-9_.-]+:\\d+)*")) {
            throw new IllegalArgumentException(
                    "ucx.devices=" + text + " is neither all nor a list of ports: DEVICE:PORT with commas");
        }
        return text;
    }
}
