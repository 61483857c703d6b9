package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.HmacKey;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.served.ServedMemory;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.security.MessageDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks an endpoint's peer for the descriptors of its regions. A request waits for the {@link RegionServer}'s thread,
 * which does not depend on the peer's progress. A peer that does not answer in time is not asked again, so it delays this
 * worker once. Used by one thread.
 */
final class RegionClient {
    private static final Logger LOG = LoggerFactory.getLogger(RegionClient.class);

    private static final int WAIT_MAX_MS = 200;

    private final HmacKey key;
    private final SocketPlace place;
    private final SocketId server;
    private final long connection;
    private boolean silent;

    /**
     * Creates a client.
     *
     * @param key the connection's
     * @param place where peers listen
     * @param server the socket with which the peer's server listens there; untrusted
     * @param connection the number of the connection there; untrusted
     */
    RegionClient(HmacKey key, SocketPlace place, SocketId server, long connection) {
        this.key = key;
        this.place = place;
        this.server = server;
        this.connection = connection;
    }

    /**
     * Access to a region of the peer: mapped, or served by its owner if there is no file or it is gone.
     *
     * @throws FairleadException {@code MALFORMED_KEY} if the key is malformed
     */
    RemoteMemory unpack(EndpointHost host, byte[] bytes, RegionProof region, long length) {
        if (bytes.length == 0) {
            return new ServedMemory(region);
        }
        RegionKey named = RegionKey.decode(bytes);
        if (named == null) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "shm part of a remote key is malformed: endpoint=" + host.label() + ", length=" + bytes.length
                            + " bytes");
        }
        if (!MappedMemory.isPossible(length)) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "remote key names a longer region than there can be: endpoint=" + host.label() + ", length="
                            + length + " bytes");
        }
        try {
            return new MappedMemory(open(named, MappedMemory.size(length)), length, region);
        } catch (IOException gone) {
            // The owner reports this on the first request.
            LOG.debug("region is not mapped: endpoint={}, cause: {}", host.label(), gone.getMessage());
            return new ServedMemory(region);
        }
    }

    /**
     * Maps a region.
     *
     * @param size bytes of its file
     * @throws IOException if the peer has closed it, or does not pass it
     */
    private MemoryFile open(RegionKey region, long size) throws IOException {
        if (silent) {
            throw new IOException("the peer has not answered an earlier request");
        }
        try (LocalSocket socket = place.connect(server)) {
            byte[] request = region.request(connection, key);
            socket.send(request);
            if (!socket.await(WAIT_MAX_MS)) {
                silent = true;
                throw new SocketTimeoutException("the peer does not answer within " + WAIT_MAX_MS + " ms");
            }
            LocalSocket.Packet answer = socket.receive(RegionKey.ANSWER_LENGTH);
            if (answer == null) {
                throw new EOFException("the peer has no answer");
            }
            try {
                if (answer.descriptor() < 0 || !MessageDigest.isEqual(RegionKey.answer(request, key), answer.bytes())) {
                    throw new IOException("the answer is not the peer's");
                }
                MemoryFile mapped = MemoryFile.open(answer.descriptor(), size);
                answer.closeMapped();
                return mapped;
            } catch (IOException | RuntimeException | Error failure) {
                answer.close();
                throw failure;
            }
        }
    }
}
