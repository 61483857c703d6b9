package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.codec.protobuf.ProtobufCodec;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.discovery.Member;
import io.fairlead.servicetest.MemoryRegistry;
import io.fairlead.spring.orders.OrderDesk;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans are served to other applications, whose clients are beans: found by name, with the codec of the class path, and with a health of their own. */
@Timeout(120)
final class ServiceBeanTest {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final String ADDRESS = "fairlead.spring.services.address=127.0.0.1:0";

    private final String service = "memory:greeters-" + NAMES.incrementAndGet();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FairleadAutoConfiguration.class,
                    FairleadCodecAutoConfiguration.class,
                    FairleadHealthAutoConfiguration.class))
            .withClassLoader(new FilteredClassLoader(ProtobufCodec.class));

    interface Greeter {
        String greet(String name);
    }

    @FairleadService
    static class Polite implements Greeter {
        @Override
        public String greet(String name) {
            return "hello, " + name;
        }
    }

    /** Two interfaces, one of them named. */
    @FairleadService(type = Greeter.class)
    static class Named implements Greeter, Runnable {
        @Override
        public String greet(String name) {
            return "hi, " + name;
        }

        @Override
        public void run() {}
    }

    @FairleadService
    static class Undecided implements Greeter, Runnable {
        @Override
        public String greet(String name) {
            return name;
        }

        @Override
        public void run() {}
    }

    @FairleadService(type = Runnable.class)
    static class Foreign implements Greeter {
        @Override
        public String greet(String name) {
            return name;
        }
    }

    interface Crowded {
        String greet(String one, String other);
    }

    @FairleadService
    static class Misdeclared implements Crowded {
        @Override
        public String greet(String one, String other) {
            return one + other;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByMethod {
        @Bean
        @FairleadService(type = Greeter.class)
        Greeter lambda() {
            return name -> "good day, " + name;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportFairleadClients(set = "greeters", types = Greeter.class, deadline = "${greeters.deadline:5 s}")
    static class Caller {}

    @Configuration(proxyBeanMethods = false)
    @ImportFairleadClients(set = "greeters", types = Greeter.class, codec = "json")
    @ImportFairleadClients(set = "others", types = Crowd.class)
    static class CallerOfTwo {}

    interface Crowd {
        String shout();
    }

    private ApplicationContextRunner serving(Class<?> bean) {
        return runner.withUserConfiguration(bean)
                .withPropertyValues(ADDRESS, "fairlead.spring.services.name=" + service);
    }

    private ApplicationContextRunner calling() {
        return runner.withUserConfiguration(Caller.class)
                .withPropertyValues("fairlead.spring.sets=greeters=" + service);
    }

    private static Health health(ApplicationContext context, String kind, String name) {
        CompositeHealthContributor all = context.getBean(kind + "HealthContributor", CompositeHealthContributor.class);
        assertEquals(1, all.stream().count());
        assertNull(all.getContributor("another"));
        return ((HealthIndicator) Objects.requireNonNull(all.getContributor(name))).health();
    }

    @ParameterizedTest
    @CsvSource({"Polite, 'hello, you'", "Named, 'hi, you'", "ByMethod, 'good day, you'"})
    void shouldServeABeanToAClientThatIsABean(String bean, String answer) throws Exception {
        serving(Class.forName(ServiceBeanTest.class.getName() + "$" + bean))
                .run(server -> calling().run(caller -> {
                    assertNull(server.getStartupFailure());
                    assertNull(caller.getStartupFailure());
                    Greeter greeter = caller.getBean("greeterClient", Greeter.class);
                    assertEquals(answer, greeter.greet("you"));
                    assertEquals(
                            Greeter.class.getName(),
                            server.getBean(FairleadServices.class)
                                    .services()
                                    .getFirst()
                                    .name());
                }));
    }

    @Test
    void shouldStartACallerBeforeTheService() {
        calling().run(caller -> {
            Health none = health(caller, "fairleadSets", "greeters");
            assertEquals(Status.DOWN, none.getStatus());
            Await.until(
                    "unknown",
                    () -> "unknown-host"
                            .equals(health(caller, "fairleadSets", "greeters")
                                    .getDetails()
                                    .get("failure")));
            serving(Polite.class).run(server -> {
                Await.until(
                        "up",
                        () -> health(caller, "fairleadSets", "greeters")
                                .getStatus()
                                .equals(Status.UP));
                assertEquals("hello, you", caller.getBean(Greeter.class).greet("you"));
                assertEquals(
                        1,
                        health(caller, "fairleadSets", "greeters").getDetails().get("connected"));
            });
            Await.until(
                    "down",
                    () -> health(caller, "fairleadSets", "greeters").getStatus().equals(Status.DOWN));
        });
    }

    @Test
    void shouldReportAServiceUntilTheApplicationEnds() {
        serving(Polite.class).run(server -> {
            Await.until(
                    "registered",
                    () -> Boolean.TRUE.equals(health(server, "fairleadServices", "Greeter")
                            .getDetails()
                            .get("registered")));
            assertEquals(
                    Status.UP, health(server, "fairleadServices", "Greeter").getStatus());
            assertEquals(
                    server.getBean(FairleadServices.class).address().orElseThrow(),
                    MemoryRegistry.members(service.substring("memory:".length()))
                            .getFirst()
                            .address());
            server.getBean(FairleadServices.class).stop();
            server.getBean(FairleadDrain.class).stop();
            assertEquals(
                    Status.OUT_OF_SERVICE,
                    health(server, "fairleadServices", "Greeter").getStatus());
            assertEquals(List.of(), MemoryRegistry.members(service.substring("memory:".length())));
        });
    }

    @Test
    void shouldRegisterTheAddressThatCallersReach() {
        serving(Polite.class)
                .withPropertyValues("fairlead.spring.services.advertised=greeter.example:0", "fairlead.node.name=g1")
                .run(server -> {
                    String name = service.substring("memory:".length());
                    Await.until(
                            "registered", () -> !MemoryRegistry.members(name).isEmpty());
                    Member member = MemoryRegistry.members(name).getFirst();
                    int port = server.getBean(FairleadServices.class)
                            .address()
                            .orElseThrow()
                            .getPort();
                    assertEquals("g1 at greeter.example:" + port, member.toString());
                });
    }

    @Test
    void shouldGiveACallItsDeadline() {
        calling().withPropertyValues("greeters.deadline=20 ms").run(caller -> {
            RequestException late = assertThrows(
                    RequestException.class, () -> caller.getBean(Greeter.class).greet("you"));
            assertEquals(RequestStatus.DEADLINE_EXCEEDED, late.status());
        });
    }

    @Test
    void shouldMakeClientsOfSeveralSets() {
        runner.withUserConfiguration(CallerOfTwo.class)
                .withPropertyValues("fairlead.spring.sets=greeters=" + service + ",others=static:a:1,b:1")
                .run(caller -> {
                    assertTrue(caller.getBean("greeterClient").toString().contains(service));
                    assertTrue(caller.getBean("crowdClient").toString().contains("static:a:1,b:1"));
                });
    }

    @Test
    void shouldServeAndCallNothingUnlessToldTo() {
        runner.run(context -> {
            assertNull(context.getStartupFailure());
            assertTrue(context.getBean(FairleadServices.class).services().isEmpty());
            assertTrue(context.getBean(FairleadServices.class).address().isEmpty());
            assertFalse(context.getBean(FairleadServices.class).isRegistered());
            assertTrue(context.getBean(FairleadSets.class).names().isEmpty());
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Undecided   | | interfaces=[Greeter, Runnable]; name one with @FairleadService(type = ...)
            Foreign     | | bean does not have the interface that it is to serve
            Misdeclared | | parameters=2, allowed 0 or 1: method=Crowded.greet; use a record
            Caller      | | no such set of peers: name=greeters, fairlead.spring.sets has []; add it to the property
            Caller      | fairlead.spring.sets=greeters=pigeon:x | no resolver for this scheme: name=pigeon:x
            Caller      | greeters.deadline=0 ms,fairlead.spring.sets=greeters=h:1 | clients of set greeters: deadline=0 ms is out of range: allowed 1 ms to 24 h
            Polite      | fairlead.spring.services.name=memory:x | set fairlead.spring.services.address
            Polite      | fairlead.spring.services.name=memory:x,fairlead.security.allow-insecure=true,fairlead.spring.services.address=0.0.0.0:0 | set fairlead.spring.services.advertised
            Polite      | fairlead.spring.services.name=dns:a:1,fairlead.spring.services.address=127.0.0.1:0 | members of this scheme are not registered by a process
            Polite      | fairlead.spring.services.adress=127.0.0.1:0 | did you mean fairlead.spring.services.address?
            """)
    void shouldSayInOneLineWhyItDoesNotStart(String bean, String properties, String line) throws Exception {
        runner.withUserConfiguration(Class.forName(ServiceBeanTest.class.getName() + "$" + bean))
                .withPropertyValues(properties == null ? new String[0] : properties.split(","))
                .run(context -> {
                    Throwable failure = Objects.requireNonNull(context.getStartupFailure(), "it has started");
                    String description =
                            new FairleadFailureAnalyzer().analyze(failure).getDescription();
                    assertTrue(description.contains(line), description);
                    assertEquals(1, description.lines().count());
                });
    }

    private static String refusal(ApplicationContextRunner failing) {
        AtomicReference<String> description = new AtomicReference<>("");
        failing.run(context -> description.set(new FairleadFailureAnalyzer()
                .analyze(Objects.requireNonNull(context.getStartupFailure(), "it has started"))
                .getDescription()));
        return description.get();
    }

    @Test
    void shouldWantTheNameOfOneOfTwoCodecs() {
        ApplicationContextRunner both = runner.withClassLoader(getClass().getClassLoader());
        String served = refusal(both.withUserConfiguration(Polite.class));
        assertTrue(served.contains("service Greeter has no codec: codec=, beans=[json, protobuf]"), served);
        String client = refusal(both.withUserConfiguration(CallerOfTwo.class)
                .withPropertyValues("fairlead.spring.sets=greeters=h:1,others=h:1"));
        assertTrue(client.contains("client of Crowd has no codec"), client);
        String none = refusal(runner.withClassLoader(new FilteredClassLoader(ProtobufCodec.class, JacksonCodec.class))
                .withUserConfiguration(Polite.class));
        assertTrue(none.contains("add the artifact fairlead-codec-jackson"), none);
    }

    @Test
    void shouldRunTheSample() throws Exception {
        try (var desk = SpringApplication.run(
                        OrderDesk.class,
                        "--server.port=0",
                        "--fairlead.node.name=desk",
                        "--" + ADDRESS,
                        "--fairlead.spring.services.name=" + service,
                        "--fairlead.spring.sets=orders=" + service);
                HttpClient client = HttpClient.newHttpClient()) {
            String port = desk.getEnvironment().getRequiredProperty("local.server.port");
            HttpResponse<String> receipt = client.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/orders/rope/2"))
                            .POST(HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertEquals("{\"number\":1,\"order\":{\"item\":\"rope\",\"count\":2}}", receipt.body());
            HttpResponse<String> health = client.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://localhost:" + port + "/actuator/health/fairleadSets/orders"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertEquals(200, health.statusCode(), health.body());
        }
    }
}
