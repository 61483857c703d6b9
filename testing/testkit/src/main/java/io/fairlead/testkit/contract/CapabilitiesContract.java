package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.TransportInfo;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.contract.ThrowingProvider.Step;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a transport declares of itself, such as its capabilities, and whether it is true. */
public class CapabilitiesContract extends TransportContract {
    /** Capabilities that no post asks for. */
    private static final Set<Capability> PROPERTIES =
            EnumSet.of(Capability.ONE_SIDED, Capability.MAPPED_MEMORY, Capability.BLOCKING_WAIT);

    /** Creates the suite. */
    protected CapabilitiesContract() {}

    @Test
    @Semantics("K-01")
    void shouldDeclareWhatIsPinned() {
        TransportInfo info = client().context().transports().stream()
                .filter(found -> found.name().equals(transport().name()))
                .findFirst()
                .orElseThrow();
        assertEquals(transport().capabilities(), info.capabilities());
        assertTrue(info.available());
        assertEquals("", info.cause());
    }

    @Test
    @Semantics("K-02")
    void shouldHaveAWellFormedName() {
        assertTrue(transport().name().matches("[a-z0-9-]{1,32}"), transport()::name);
        assertFalse(
                Set.of("auto", "require-rdma", "tcp-only").contains(transport().name()));
    }

    @Test
    @Semantics("K-03")
    void shouldBeFoundByTheServiceLoader() {
        List<String> names = ServiceLoader.load(TransportProvider.class).stream()
                .map(found -> found.get().name())
                .toList();
        assertTrue(names.contains(transport().name()), () -> transport().name() + " is not among " + names);
    }

    @Test
    @Semantics("K-16")
    void shouldBeFoundWhateverTheThreadsClassLoaderKnows() throws Exception {
        Availability found = ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(transport().name()))
                .findFirst()
                .orElseThrow()
                .availability();
        assumeTrue(found.available(), () -> "contexts that find their providers leave it out: " + found.cause());
        // One knows no class of Fairlead's, and the other a copy of each.
        for (ClassLoader ofThread : List.of(ClassLoader.getPlatformClassLoader(), copy())) {
            List<TransportInfo> transports = openWith(ofThread);
            List<String> names = transports.stream().map(TransportInfo::name).toList();
            assertTrue(names.contains(transport().name()), names::toString);
            assertEquals(Set.copyOf(names).size(), names.size(), names::toString);
            assertTrue(names.stream().noneMatch(name -> name.startsWith("broken-")), transports::toString);
        }
    }

    private List<TransportInfo> openWith(ClassLoader ofThread) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ofThread);
        try (Context context = Context.open(config())) {
            return context.transports();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static ClassLoader copy() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    @Test
    @Semantics("K-04")
    void shouldPrefixItsConfigurationKeys() {
        for (ConfigKey<?> key : transport().provider().configKeys()) {
            assertTrue(key.name().startsWith(transport().name() + "."), key::name);
            assertFalse(key.description().isBlank(), key::name);
            assertFalse(key.range().isBlank(), key::name);
        }
    }

    @Test
    @Semantics("K-05")
    void shouldOpenNothingToTellItsAvailability() {
        Resources before = Resources.now();
        for (int i = 0; i < 100; i++) {
            assertEquals(Availability.AVAILABLE, transport().provider().availability());
            transport().provider().configKeys();
        }
        Resources after = Resources.now();
        assertTrue(after.withinThoseOf(before), () -> after.beyond(before));
    }

    @Test
    @Semantics("K-06")
    void shouldListATransportThatCannotBeUsedWithItsCause() {
        List<TransportProvider> both = List.of(transport().provider(), new Unavailable());
        try (Context context =
                ChosenTransports.with(both, () -> Context.open(config().with(ConfigKeys.TRANSPORTS, "")))) {
            Map<String, String> causes = Map.of(transport().name(), "", "absent", Unavailable.CAUSE);
            assertEquals(
                    causes.keySet().stream().sorted().toList(),
                    context.transports().stream().map(TransportInfo::name).toList());
            for (TransportInfo info : context.transports()) {
                assertEquals(causes.get(info.name()), info.cause());
                assertEquals(info.name().equals(transport().name()), info.available());
                assertEquals(info.available(), !info.capabilities().isEmpty());
            }
        }
    }

    @Test
    @Semantics("K-07")
    void shouldRefuseToOpenWithoutAnyTransportAndNameTheCauses() {
        FairleadException failure = assertThrows(
                FairleadException.class,
                () -> ChosenTransports.with(
                        List.of(new Unavailable()), () -> Context.open(config().with(ConfigKeys.TRANSPORTS, ""))));
        assertEquals(FairleadException.Reason.TRANSPORT, failure.reason());
        assertMentions(Unavailable.CAUSE, failure);
    }

    @Test
    @Semantics("K-11")
    void shouldRefuseToOpenWithAPolicyThatNamesNoTransport() {
        configure(ConfigKeys.POLICY, PathPolicy.named(transport().name() + "x"));
        FairleadException failure = assertThrows(FairleadException.class, () -> openContext(config()));
        assertEquals(FairleadException.Reason.CONFIGURATION, failure.reason());
        assertMentions("policy=" + transport().name() + "x", failure);
        assertMentions("did you mean " + transport().name() + "?", failure);
        configure(ConfigKeys.POLICY, PathPolicy.named(transport().name()));
        openContext(config()).close();
    }

    @Test
    @Semantics("K-08")
    void shouldAnswerUnsupportedToWhatItLacks() {
        Set<Capability> posts = EnumSet.of(
                Capability.SYNCHRONOUS_SEND, Capability.PUT, Capability.GET, Capability.PUT_SIGNAL, Capability.ATOMIC);
        posts.removeAll(transport().capabilities());
        assumeFalse(posts.isEmpty(), () -> transport().name() + " lacks nothing that can be posted");
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(server().context().allocate(64, EnumSet.allOf(AccessRight.class)));
        for (Capability missing : posts) {
            assertEquals(Endpoint.UNSUPPORTED, post(missing, pair.client(), key), missing::toString);
        }
    }

    @Test
    @Semantics("K-09")
    void shouldDoWhatItDeclares() {
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(server().context().allocate(64, EnumSet.allOf(AccessRight.class)));
        pair.server().receive(buffer(8), 1);
        for (Capability declared : transport().capabilities()) {
            if (!PROPERTIES.contains(declared)) {
                long id = pair.client().posted(post(declared, pair.client(), key));
                if (declared != Capability.TAGGED) {
                    assertEquals(Status.OK, complete(pair.client(), id).status(), declared::toString);
                }
                pair.server().receive(buffer(8), 1);
            }
        }
        completeAll(client());
    }

    @Test
    @Semantics("K-10")
    void shouldReachRemoteMemoryWithoutTheTargetsProgressWhereOneSided() {
        requires(Capability.ONE_SIDED);
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(4096, EnumSet.allOf(AccessRight.class));
        RemoteKey key = pair.client().unpack(region);
        Pattern.fill(region.segment(), 0, 2048, 1);
        MemorySegment target = buffer(2048);
        long get = pair.client().get(target, key, 0);
        driveUntil(client(), () -> client().recorder().has(get), "a get while the target stands still");
        Pattern.verify(target, 0, 2048, 1);
        pair.client().put(pattern(2048, 2), key, 2048);
        long flush = pair.client().flush();
        driveUntil(client(), () -> client().recorder().has(flush), "a flush while the target stands still");
        Pattern.verify(region.segment(), 2048, 2048, 2);
    }

    @Test
    @Semantics("K-12")
    void shouldOpenWithoutATransportThatThrows() {
        List<Throwable> all = List.of(
                new UnsatisfiedLinkError(ThrowingProvider.CAUSE),
                new ExceptionInInitializerError(new IllegalStateException(ThrowingProvider.CAUSE)),
                new IOException(ThrowingProvider.CAUSE),
                new FairleadException(FairleadException.Reason.TRANSPORT, ThrowingProvider.CAUSE));
        for (Step step : EnumSet.range(Step.AVAILABILITY, Step.CAPABILITIES)) {
            for (Throwable thrown : all) {
                ThrowingProvider throwing = new ThrowingProvider(step, thrown);
                try (Context context = open(transport().provider(), throwing)) {
                    Map<String, TransportInfo> infos = context.transports().stream()
                            .collect(Collectors.toMap(TransportInfo::name, Function.identity()));
                    TransportInfo info = Objects.requireNonNull(infos.get(ThrowingProvider.NAME));
                    assertFalse(info.available(), step::toString);
                    assertTrue(info.cause().contains(ThrowingProvider.CAUSE), info::cause);
                    assertTrue(
                            Objects.requireNonNull(infos.get(transport().name()))
                                    .available(),
                            infos::toString);
                    assertFalse(throwing.leaked(), step::toString);
                    context.newWorker().close();
                }
            }
        }
    }

    @Test
    @Semantics("K-13")
    void shouldMakeAWorkerWithoutATransportThatThrows() {
        ThrowingProvider throwing = new ThrowingProvider(Step.WORKER, new UnsatisfiedLinkError(ThrowingProvider.CAUSE));
        try (Context context = open(transport().provider(), throwing)) {
            context.newWorker().close();
        }
        assertFalse(throwing.leaked());
    }

    @Test
    @Semantics("K-14")
    void shouldRefuseToMakeAWorkerWithoutAnyTransportAndNameTheCause() {
        ThrowingProvider throwing = new ThrowingProvider(Step.WORKER, new UnsatisfiedLinkError(ThrowingProvider.CAUSE));
        try (Context context = open(throwing)) {
            Resources before = Resources.now();
            FairleadException failure = assertThrows(FairleadException.class, context::newWorker);
            assertEquals(FairleadException.Reason.TRANSPORT, failure.reason());
            assertMentions(ThrowingProvider.CAUSE, failure);
            Resources after = Resources.now();
            assertTrue(after.withinThoseOf(before), () -> after.beyond(before));
        }
    }

    private Context open(TransportProvider... chosen) {
        return ChosenTransports.with(List.of(chosen), () -> Context.open(config().with(ConfigKeys.TRANSPORTS, "")));
    }

    private long post(Capability capability, End end, RemoteKey key) {
        Endpoint endpoint = end.endpoint();
        MemorySegment buffer = buffer(8);
        Recorder recorder = end.recorder();
        return switch (capability) {
            case TAGGED -> endpoint.send(buffer, 0, 8, 1, recorder, 0);
            case SYNCHRONOUS_SEND -> endpoint.sendSynchronous(buffer, 0, 8, 1, recorder, 0);
            case PUT -> endpoint.put(buffer, 0, 8, key, 0, recorder, 0);
            case GET -> endpoint.get(buffer, 0, 8, key, 0, recorder, 0);
            case PUT_SIGNAL -> endpoint.putSignal(buffer, 1, key, 0, recorder);
            case ATOMIC -> endpoint.fetchAdd(1, key, 0, recorder);
            case ONE_SIDED, MAPPED_MEMORY, BLOCKING_WAIT ->
                throw new IllegalArgumentException("not an operation: capability=" + capability);
        };
    }

    /** A transport that is found and cannot be used. */
    private static final class Unavailable implements TransportProvider {
        static final String CAUSE = "the contract suite says so; nothing can be done";

        @Override
        public String name() {
            return "absent";
        }

        @Override
        public Availability availability() {
            return Availability.unavailable(CAUSE);
        }

        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of();
        }

        @Override
        public Transport open(TransportSetup setup) {
            throw new AssertionError("opened though unavailable");
        }
    }
}
