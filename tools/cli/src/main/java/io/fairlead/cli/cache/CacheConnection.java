package io.fairlead.cli.cache;

import io.fairlead.FairleadConfig;
import io.fairlead.Path;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.samples.cache.CacheClient;
import io.fairlead.samples.cache.CacheException;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A client of the cache as a command has it: with metrics where they are asked for, and failures that end the command. */
final class CacheConnection implements AutoCloseable {
    private final CacheClient client;
    private final MetricsPort metrics;

    CacheConnection(FairleadConfig config, InetSocketAddress address) {
        client = new CacheClient(config, address);
        try {
            metrics = MetricsPort.open(client.server().node().context());
        } catch (RuntimeException failed) {
            client.close();
            throw failed;
        }
    }

    Path path() {
        return client.server().path();
    }

    Optional<byte[]> get(byte[] key) {
        try {
            return client.get(key);
        } catch (CacheException refused) {
            throw CommandFailure.failed(String.valueOf(refused.getMessage()));
        }
    }

    void put(byte[] key, byte[] value) {
        try {
            client.put(key, value);
        } catch (CacheException refused) {
            throw CommandFailure.failed(String.valueOf(refused.getMessage()));
        }
    }

    long tornReads() {
        return client.tornReads();
    }

    @Override
    public void close() {
        metrics.close();
        client.close();
    }
}
