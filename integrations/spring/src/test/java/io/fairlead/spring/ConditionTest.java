package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.metrics.FairleadMeter;
import io.fairlead.metrics.FairleadMetrics;
import io.fairlead.metrics.FairleadObservations;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.node.Node;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.PublisherOptions;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What is configured for whom: each condition on both of its sides. */
@Timeout(120)
final class ConditionTest {
    private static final String PUBLISHER = "fairlead.spring.publisher.address=127.0.0.1:0";
    private static final String SUBSCRIBER = "fairlead.spring.subscriber.address=127.0.0.1:9";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FairleadAutoConfiguration.class,
                    FairleadGrpcAutoConfiguration.class,
                    FairleadHealthAutoConfiguration.class,
                    FairleadMetricsAutoConfiguration.class,
                    FairleadObservationAutoConfiguration.class));

    private static void assertNoFailure(AssertableApplicationContext context) {
        assertNull(context.getStartupFailure());
    }

    private static boolean has(AssertableApplicationContext context, Class<?> type) {
        return context.getBeanNamesForType(type).length > 0;
    }

    @Test
    void shouldConfigureANodeAndNothingThatNeedsAnAddress() {
        runner.run(context -> {
            assertNoFailure(context);
            assertTrue(has(context, Node.class));
            assertTrue(has(context, FairleadPeers.class));
            assertTrue(has(context, FairleadListeners.class));
            assertFalse(has(context, NodePublisher.class));
            assertFalse(has(context, NodeSubscriber.class));
            assertFalse(has(context, FairleadEventLoops.class));
            assertFalse(has(context, NodeObserver.class));
        });
    }

    @Test
    void shouldConfigurePublisherAndSubscriberWhereTheirAddressesAreSet() {
        runner.withPropertyValues(PUBLISHER, SUBSCRIBER).run(context -> {
            assertNoFailure(context);
            assertTrue(context.getBean(NodePublisher.class).address().getPort() > 0);
            assertTrue(has(context, NodeSubscriber.class));
        });
    }

    @Test
    void shouldConfigureNothingWhereItIsTurnedOff() {
        runner.withPropertyValues("fairlead.spring.enabled=false", PUBLISHER, "fairlead.spring.grpc.server=true")
                .run(context -> {
                    assertNoFailure(context);
                    for (Class<?> type : List.of(
                            FairleadConfig.class,
                            Node.class,
                            NodePublisher.class,
                            FairleadListeners.class,
                            FairleadHealthIndicator.class,
                            FairleadMetrics.class,
                            FairleadEventLoops.class)) {
                        assertFalse(has(context, type), type.getName());
                    }
                });
    }

    @Test
    void shouldStepBackForBeansOfTheApplication() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.NODE_NAME, "own");
        try (Node own = Node.start(config);
                NodePublisher publisher = NodePublisher.listen(own, Addresses.resolved("127.0.0.1:0"))
                        .join()) {
            runner.withBean(FairleadConfig.class, () -> config)
                    .withBean("own", Node.class, () -> own)
                    .withBean("ownPublisher", NodePublisher.class, () -> publisher)
                    .withBean("fairleadHealthIndicator", HealthIndicator.class, () -> () -> null)
                    .withPropertyValues(PUBLISHER)
                    .run(context -> {
                        assertNoFailure(context);
                        assertSame(own, context.getBean(Node.class));
                        assertSame(publisher, context.getBean(NodePublisher.class));
                        assertEquals(1, context.getBeanNamesForType(FairleadConfig.class).length);
                        assertFalse(has(context, FairleadHealthIndicator.class));
                    });
        }
    }

    @Test
    void shouldUseOptionsOfTheApplication() {
        runner.withBean(
                        PublisherOptions.class,
                        () -> PublisherOptions.defaults().withTopicsMax(1))
                .withPropertyValues(PUBLISHER)
                .run(context -> {
                    NodePublisher publisher = context.getBean(NodePublisher.class);
                    publisher.topic("first").join();
                    assertTrue(publisher
                            .topic("second")
                            .handle((_, failure) -> failure != null)
                            .join());
                });
    }

    @ParameterizedTest
    @ValueSource(classes = {FairleadMetrics.class, MeterRegistry.class})
    void shouldDoWithoutMetrics(Class<?> missing) {
        runner.withClassLoader(new FilteredClassLoader(missing)).run(context -> {
            assertNoFailure(context);
            assertFalse(context.containsBean("fairleadMetrics"));
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {FairleadObservations.class, ObservationRegistry.class})
    void shouldDoWithoutObservations(Class<?> missing) {
        runner.withClassLoader(new FilteredClassLoader(missing)).run(context -> {
            assertNoFailure(context);
            assertFalse(context.containsBean("fairleadObservations"));
        });
    }

    @Test
    void shouldDoWithoutHealth() {
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class)).run(context -> {
            assertNoFailure(context);
            assertFalse(context.containsBean("fairleadHealthIndicator"));
        });
        runner.withPropertyValues("management.health.fairlead.enabled=false")
                .run(context -> assertFalse(context.containsBean("fairleadHealthIndicator")));
        runner.run(context -> assertTrue(context.containsBean("fairleadHealthIndicator")));
    }

    @ParameterizedTest
    @ValueSource(classes = {FairleadServerSocketChannel.class, NettyServerBuilder.class})
    void shouldDoWithoutGrpc(Class<?> missing) {
        ApplicationContextRunner wanted = runner.withPropertyValues("fairlead.spring.grpc.server=true");
        wanted.withClassLoader(new FilteredClassLoader(missing)).run(context -> {
            assertNoFailure(context);
            assertFalse(context.containsBean("fairleadEventLoops"));
        });
        wanted.run(context -> assertTrue(has(context, FairleadEventLoops.class)));
    }

    @Test
    void shouldObserveByTheRegistryThatIsThere() {
        ApplicationContextRunner observed = runner.withBean(ObservationRegistry.class, ObservationRegistry::create);
        observed.run(context -> assertTrue(has(context, FairleadObservations.class)));
        observed.withPropertyValues("fairlead.spring.observations=false")
                .run(context -> assertFalse(has(context, FairleadObservations.class)));
        observed.withPropertyValues("fairlead.spring.enabled=false")
                .run(context -> assertFalse(has(context, FairleadObservations.class)));
        observed.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "systemEnvironment", Map.of("FAIRLEAD_SPRING_OBSERVATIONS", ""))))
                .run(context -> assertTrue(has(context, FairleadObservations.class), "a cleared variable is not set"));
        observed.withBean("own", NodeObserver.class, () -> NodeObserver.NONE)
                .run(context -> assertFalse(has(context, FairleadObservations.class)));
    }

    @Test
    void shouldTellTheRegistryOfTheNodesOperations() {
        ObservationRegistry registry = ObservationRegistry.create();
        List<String> names = new CopyOnWriteArrayList<>();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                names.add(context.getName());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        runner.withBean(ObservationRegistry.class, () -> registry).run(context -> {
            Node node = context.getBean(Node.class);
            Peer peer = node.connect(node.listen(Addresses.resolved("127.0.0.1:0"), _ -> {})
                            .address())
                    .join();
            peer.send(new byte[1], 1).join();
            node.receive(1).join();
            Await.until("both are observed", () -> names.containsAll(List.of("fairlead.send", "fairlead.receive")));
        });
    }

    @Test
    void shouldPutMetersIntoTheRegistryOfTheApplication() {
        runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    assertNoFailure(context);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    for (FairleadMeter meter : List.of(FairleadMeter.WORKERS, FairleadMeter.PUBLISHED)) {
                        assertFalse(registry.find(meter.meterName()).meters().isEmpty(), meter.meterName());
                    }
                    assertEquals(
                            1,
                            registry.get(FairleadMeter.WORKERS.meterName())
                                    .gauge()
                                    .value());
                });
    }

    @Test
    void shouldLeaveNeitherThreadsNorDescriptorsWhenTheContextIsClosed() {
        ApplicationContextRunner all = runner.withPropertyValues(
                PUBLISHER, SUBSCRIBER, "fairlead.spring.peers=one=127.0.0.1:9", "fairlead.spring.grpc.server=true");
        // What the JVM and libraries keep once they were used is there after the first time.
        all.run(ConditionTest::assertNoFailure);
        Set<String> threads = threads();
        long descriptors = descriptors();
        for (int i = 0; i < 3; i++) {
            all.run(ConditionTest::assertNoFailure);
        }
        Await.until("no thread is left", () -> threads.containsAll(threads()));
        Await.until("no descriptor is left", () -> descriptors() <= descriptors);
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName().replaceAll("[0-9]+", "N"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
