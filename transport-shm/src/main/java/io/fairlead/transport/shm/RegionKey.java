package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.host.HostSecret;
import io.fairlead.spi.served.ServedMemory;
import java.io.IOException;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a peer needs to map a region: the {@linkplain MemoryFile#KEY_LENGTH key} of its file, or nothing if the owner serves it, and a signature by
 * which it knows that a process of this user on this host has made it.
 */
final class RegionKey {
    private static final Logger LOG = LoggerFactory.getLogger(RegionKey.class);

    private RegionKey() {}

    /** Signed anew each time, because the secret may have changed. */
    static byte[] encode(byte[] file) {
        return HostSecret.here().withSignature(file);
    }

    /**
     * A region as an endpoint reaches it: mapped, or served by its owner where there is no file or it is gone already.
     *
     * @throws FairleadException {@code MALFORMED_KEY} if no process of this user on this host has made the key
     */
    static RemoteMemory unpack(EndpointHost host, byte[] key, long regionId, long length) {
        int fileLength = key.length - HostSecret.LENGTH;
        if ((fileLength != 0 && fileLength != MemoryFile.KEY_LENGTH)
                || !HostSecret.here().signed(key)) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "shm part of a remote key was not made by this user on this host: endpoint=" + host.label()
                            + ", length=" + key.length + " bytes");
        }
        if (fileLength > 0) {
            try {
                return new MappedMemory(
                        MemoryFile.open(Arrays.copyOf(key, fileLength), MappedMemory.size(length)), length);
            } catch (IOException gone) {
                // The owner says so when it is asked.
                LOG.debug("region is not mapped: endpoint={}, cause: {}", host.label(), gone.getMessage());
            }
        }
        return ServedMemory.of(regionId);
    }
}
