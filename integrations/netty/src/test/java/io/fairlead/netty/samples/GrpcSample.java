package io.fairlead.netty.samples;

import io.fairlead.FairleadConfig;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A gRPC service and its client over shared memory, RDMA or TCP. The service is written by hand, so that the sample needs no generator. */
final class GrpcSample {
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

    private GrpcSample() {}

    static String greet(FairleadConfig config, String name) throws IOException {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, FairleadIoHandler.newFactory(config));
        // tag::server
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("localhost", 0))
                .channelType(FairleadServerSocketChannel.class)
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .addService(ServerServiceDefinition.builder("sample.Greeter")
                        .addMethod(GREET, ServerCalls.asyncUnaryCall((request, response) -> {
                            response.onNext("hello, " + request);
                            response.onCompleted();
                        }))
                        .build())
                .build()
                .start();
        // end::server
        // tag::client
        ManagedChannel channel = NettyChannelBuilder.forAddress("localhost", server.getPort())
                .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                .eventLoopGroup(loops)
                .usePlaintext()
                .build();
        // end::client
        try {
            return ClientCalls.blockingUnaryCall(channel, GREET, CallOptions.DEFAULT, name);
        } finally {
            channel.shutdownNow();
            server.shutdownNow();
            loops.shutdownGracefully();
        }
    }
}
