/**
 * What an application needs to send messages: the worker API, Node, typed services, publish-subscribe, and the transports.
 *
 * <p>An application may require this module. It may instead require only what it uses of {@code io.fairlead}, {@code io.fairlead.node},
 * {@code io.fairlead.services} and {@code io.fairlead.pubsub}. The service loader finds transports on the module path either way. Requiring this module also puts the
 * transports into images that {@code jlink} makes, because {@code jlink} binds no services by itself.
 */
module io.fairlead.all {
    requires transitive io.fairlead;
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires transitive io.fairlead.services;
    requires io.fairlead.security;
    requires io.fairlead.discovery.dns;
    requires io.fairlead.transport.shm;
    requires io.fairlead.transport.tcp;
    requires io.fairlead.transport.ucx;
}
