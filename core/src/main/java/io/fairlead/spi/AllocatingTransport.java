package io.fairlead.spi;

import io.fairlead.AccessRight;
import io.fairlead.Incubating;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A {@link Transport} that allocates memory regions itself and accesses them faster than other memory. Thread-safe. */
@Incubating
public interface AllocatingTransport extends Transport {
    /**
     * Allocates memory for a region, and registers it for peers as {@link #register} does.
     *
     * @param length bytes
     * @param rights what peers may do with the memory
     * @return memory that is filled with zeroes and aligned to 4096 bytes; null to let the core allocate memory and
     *     register it here
     * @throws io.fairlead.FairleadException {@code REGISTRATION_FAILED} with the cause, if the memory cannot be
     *     allocated
     */
    @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights);
}
