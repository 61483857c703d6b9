package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.served.ServedMemory;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data with which a peer maps a region: the {@linkplain MemoryFile#KEY_LENGTH key} of its file, or nothing if the
 * owner serves it. The 128 random bits of the region's proof are in the file's name and content, so a region cannot be
 * mapped by guessing.
 */
final class RegionKey {
    private static final Logger LOG = LoggerFactory.getLogger(RegionKey.class);

    private RegionKey() {}

    /**
     * An endpoint's access to a region: mapped, or served by its owner if there is no file or it is gone.
     *
     * @param peer the peer's process id
     * @throws FairleadException {@code MALFORMED_KEY} if the key is malformed, or names memory of another process than
     *     the peer's
     */
    static RemoteMemory unpack(EndpointHost host, int peer, byte[] key, RegionProof region, long length) {
        if (key.length == 0) {
            return new ServedMemory(region);
        }
        if (key.length != MemoryFile.KEY_LENGTH || !MemoryFile.isOfProcess(key) || MemoryFile.process(key) != peer) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "shm part of a remote key names no memory of the peer's process: endpoint=" + host.label()
                            + ", length=" + key.length + " bytes");
        }
        if (!MappedMemory.isPossible(length)) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "remote key names a longer region than there can be: endpoint=" + host.label() + ", length="
                            + length + " bytes");
        }
        try {
            return new MappedMemory(MemoryFile.open(key, MappedMemory.size(length)), length);
        } catch (IOException gone) {
            // The owner reports this on the first request.
            LOG.debug("region is not mapped: endpoint={}, cause: {}", host.label(), gone.getMessage());
            return new ServedMemory(region);
        }
    }
}
