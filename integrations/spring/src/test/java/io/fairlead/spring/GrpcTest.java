package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.netty.FairleadSocketChannel;
import io.fairlead.node.Node;
import io.fairlead.statistics.Counter;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.grpc.server.autoconfigure.GrpcServerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;

/** A service of Spring's gRPC server answers over Fairlead's channels. */
@Timeout(120)
final class GrpcTest {
    private static final MethodDescriptor.Marshaller<String> TEXT = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    };

    private static final MethodDescriptor<String, String> GREET = MethodDescriptor.<String, String>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("sample.Greeter/Greet")
            .setRequestMarshaller(TEXT)
            .setResponseMarshaller(TEXT)
            .build();

    private static ServerServiceDefinition greeter() {
        return ServerServiceDefinition.builder("sample.Greeter")
                .addMethod(GREET, ServerCalls.asyncUnaryCall((request, response) -> {
                    response.onNext("hello, " + request);
                    response.onCompleted();
                }))
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void shouldAnswerOverFairlead(String policy) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        FairleadAutoConfiguration.class,
                        FairleadGrpcAutoConfiguration.class,
                        SslAutoConfiguration.class,
                        GrpcServerAutoConfiguration.class))
                .withBean(BindableService.class, () -> GrpcTest::greeter)
                .withPropertyValues(
                        "fairlead.spring.grpc.server=true",
                        "fairlead.policy=" + policy,
                        "spring.grpc.server.address=127.0.0.1",
                        "spring.grpc.server.port=0")
                .run(context -> {
                    assertNull(context.getStartupFailure());
                    int port = context.getBean(GrpcServerLifecycle.class).getPort();
                    assertTrue(port > 0);
                    ManagedChannel channel = NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                            .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                            .eventLoopGroup(
                                    context.getBean(FairleadEventLoops.class).group())
                            .usePlaintext()
                            .build();
                    try {
                        assertEquals(
                                "hello, Spring",
                                ClientCalls.blockingUnaryCall(channel, GREET, CallOptions.DEFAULT, "Spring"));
                    } finally {
                        channel.shutdownNow();
                    }
                    assertEquals(
                            2,
                            context.getBean(Node.class).context().statistics().value(Counter.ENDPOINTS_CONNECTED));
                });
    }
}
