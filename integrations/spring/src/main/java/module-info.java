/** Fairlead in Spring Boot applications: auto-configuration, listeners, health, metrics and gRPC. */
@SuppressWarnings(
        "module") // Spring reads configurations by reflection, from modules that this one does not see by name.
module io.fairlead.spring {
    // For the compiler alone, which reads annotations of Spring's health.
    requires static com.fasterxml.jackson.annotation;
    requires transitive io.fairlead;
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires transitive io.fairlead.services;
    requires static transitive io.fairlead.codec.jackson;
    requires static transitive io.fairlead.codec.protobuf;
    requires static transitive io.fairlead.metrics;
    requires static transitive io.fairlead.netty;
    requires static io.grpc;
    requires static transitive io.grpc.netty;
    requires static transitive io.netty.transport;
    requires static micrometer.commons;
    requires static transitive micrometer.core;
    requires static transitive micrometer.observation;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires spring.aop;
    requires transitive spring.beans;
    requires transitive spring.boot;
    requires transitive spring.boot.autoconfigure;
    requires static spring.boot.grpc.server;
    requires static transitive spring.boot.health;
    requires transitive spring.context;
    requires transitive spring.core;
    requires static transitive spring.grpc.core;
    requires static tools.jackson.databind;

    exports io.fairlead.spring;

    opens io.fairlead.spring;

    provides io.fairlead.spi.ConfigKeyProvider with
            io.fairlead.spring.SpringKeys;
}
