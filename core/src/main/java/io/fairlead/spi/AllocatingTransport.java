package io.fairlead.spi;

import io.fairlead.AccessRight;
import io.fairlead.Incubating;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A transport that allocates memory regions itself, where it reaches them fastest. As {@link Transport} otherwise. */
@Incubating
public interface AllocatingTransport extends Transport {
    /**
     * Allocates memory where this transport reaches it fastest, or declines.
     *
     * @param length bytes
     * @param rights what peers may do
     * @return memory that is zero-filled and aligned to 4096 bytes, or null to let the core allocate and {@link #register} it
     * @throws io.fairlead.FairleadException {@code REGISTRATION_FAILED}
     */
    @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights);
}
