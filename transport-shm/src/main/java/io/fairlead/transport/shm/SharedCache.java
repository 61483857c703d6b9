package io.fairlead.transport.shm;

import io.fairlead.spi.host.HostFiles;
import java.util.Optional;

/** Which caches the processors of this host share. */
final class SharedCache {
    private static final String PROCESSORS = "/sys/devices/system/cpu/";

    private SharedCache() {}

    /** Whether all processors are threads of one core and share its second-level cache; false if unknown. */
    static boolean isOneForAll(HostFiles files) {
        Optional<String> online = files.text(PROCESSORS + "online");
        for (int i = 0; i < 10; i++) {
            String cache = PROCESSORS + "cpu0/cache/index" + i + "/";
            if (files.text(cache + "level").filter("2"::equals).isPresent()) {
                return online.isPresent() && online.equals(files.text(cache + "shared_cpu_list"));
            }
        }
        return false;
    }
}
