/**
 * What an application needs to send messages: the worker API, Node, publish-subscribe, and the transports.
 *
 * <p>An application may require this module, or those of {@code io.fairlead}, {@code io.fairlead.node} and {@code io.fairlead.pubsub} that it
 * uses: transports on the module path are found by the service loader either way. To require this one puts the transports into what
 * {@code jlink} makes as well, which binds no services by itself.
 */
module io.fairlead.all {
    requires transitive io.fairlead;
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires io.fairlead.security;
    requires io.fairlead.discovery.dns;
    requires io.fairlead.transport.shm;
    requires io.fairlead.transport.tcp;
    requires io.fairlead.transport.ucx;
}
