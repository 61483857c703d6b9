package io.fairlead.internal.tls;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.providers.SecurityProviders;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecureEngine;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How the connections of a context are secured. Thread-safe. */
public final class ContextSecurity implements AutoCloseable {
    private final SecurityMode mode;
    private final boolean insecureAllowed;
    private final boolean fabricTrusted;
    /** Null without security. */
    private final @Nullable ConnectionSecurity connections;

    private final @Nullable DelegatedTasks tasks;

    private ContextSecurity(FairleadConfig config, @Nullable ConnectionSecurity connections) {
        this.mode = config.value(ConfigKeys.SECURITY_MODE);
        this.insecureAllowed = config.value(ConfigKeys.SECURITY_ALLOW_INSECURE);
        this.fabricTrusted = config.value(ConfigKeys.SECURITY_TRUSTED_FABRIC);
        this.connections = connections;
        this.tasks = connections == null ? null : new DelegatedTasks();
    }

    /**
     * Reads the configuration, and the keys if connections are secured.
     *
     * @throws FairleadException {@code CONFIGURATION} if there are no usable keys, or no security provider
     */
    public static ContextSecurity open(FairleadConfig config) {
        SecurityMode mode = config.value(ConfigKeys.SECURITY_MODE);
        return new ContextSecurity(
                config,
                mode == SecurityMode.OFF
                        ? null
                        : SecurityProviders.only(ConfigKeys.SECURITY_MODE.format(mode))
                                .open(config));
    }

    public SecurityMode mode() {
        return mode;
    }

    /** The mode as configured. */
    public String modeText() {
        return ConfigKeys.SECURITY_MODE.format(mode);
    }

    /** Whether unencrypted paths to other hosts are refused. */
    public boolean refusesFabric() {
        return mode == SecurityMode.ENCRYPTED && !fabricTrusted;
    }

    /**
     * Refuses an address that would be open to everybody.
     *
     * @param doing the action at the address, for the message
     * @throws FairleadException {@code CONFIGURATION} if it is not a loopback address, and security is neither on nor
     *     explicitly off
     */
    public void checkAddress(String doing, InetSocketAddress address) {
        if (connections == null && !insecureAllowed && !address.getAddress().isLoopbackAddress()) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "cannot " + doing + " without security beyond loopback: address=" + address.getHostString() + ":"
                            + address.getPort()
                            + ", security.mode=off; set security.mode, for which fairlead keys init makes the keys,"
                            + " or write security.allow-insecure = true where everybody on the network is trusted");
        }
    }

    /**
     * Begins TLS on a connection that this side has opened.
     *
     * @param address the peer's
     * @param key of the connected socket
     * @param runner runs the engine's tasks
     * @param again called when they have run
     * @return null without security
     */
    public @Nullable TlsHandshake connector(
            SocketChannel channel, InetSocketAddress address, SelectionKey key, TaskRunner runner, Runnable again) {
        ConnectionSecurity known = connections;
        return known == null
                ? null
                : begin(
                        known.connector(address.getHostString(), address.getPort()),
                        new SocketConnection(channel),
                        address,
                        key,
                        runner,
                        again);
    }

    /** Begins TLS on a connection that this side has accepted; as {@link #connector}. */
    public @Nullable TlsHandshake listener(
            SocketConnection socket, InetSocketAddress address, SelectionKey key, TaskRunner runner, Runnable again) {
        ConnectionSecurity known = connections;
        return known == null ? null : begin(known.listener(), socket, address, key, runner, again);
    }

    private static TlsHandshake begin(
            SecureEngine engine,
            SocketConnection socket,
            InetSocketAddress address,
            SelectionKey key,
            TaskRunner runner,
            Runnable again) {
        String peer = address.getHostString() + ":" + address.getPort();
        TlsEngine tls = new TlsEngine(engine, socket, peer);
        try {
            return new TlsHandshake(tls, key, runner, again);
        } catch (Throwable thrown) {
            tls.close();
            throw thrown;
        }
    }

    /** Runs a task on a thread of the context. */
    public void delegate(Runnable task) {
        DelegatedTasks running = tasks;
        if (running == null) {
            throw new IllegalStateException("nothing is delegated without security");
        }
        running.run(task);
    }

    /**
     * Why a connection must end because of its keys, or null if it need not. The worker calls this continuously, and
     * before a peer is admitted.
     *
     * @param endpoint the endpoint, or the peer if there is none yet; named in the message
     */
    public @Nullable FairleadException expiry(Secured connection, long nowNs, Object endpoint) {
        ConnectionSecurity known = connections;
        if (known == null) {
            return null;
        }
        if (connection.isRevoked()) {
            return new FairleadException(
                    Reason.UNTRUSTED,
                    "the peer's certificate has been revoked since the connection was made: endpoint=" + endpoint
                            + ", identity=" + connection.identity()
                            + "; security.revoked names it, and the peer needs a new one");
        }
        if (connection.isExpired()) {
            return new FairleadException(
                    Reason.EXPIRED,
                    "the peer's certificate has expired since the connection was made: endpoint=" + endpoint
                            + ", identity=" + connection.identity() + "; the peer needs a new one, connect again then");
        }
        if (!connection.isOutdated()) {
            return null;
        }
        Duration ageMax = known.connectionAgeMax();
        if (ageMax.isZero() || nowNs - connection.madeNs() < ageMax.toNanos()) {
            return null;
        }
        return new FairleadException(
                Reason.EXPIRED,
                "keys have been replaced since the connection was made, and it is as old as it may get: endpoint="
                        + endpoint + ", security.connection-max-age=" + ageMax.toMillis() + " ms; connect again");
    }

    /** Drops the keys. Running engines continue. */
    @Override
    public void close() {
        CloseSteps.runAll(
                () -> {
                    if (connections != null) {
                        connections.close();
                    }
                },
                () -> {
                    if (tasks != null) {
                        tasks.close();
                    }
                });
    }
}
