package io.fairlead.benchmarks.rpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * The unary method of {@link GrpcCommand}, and one of a stream: what a code generator would write for them, with messages that are bytes.
 */
final class GrpcMethod {
    private static final String SERVICE = "fairlead.bench.Echo";

    /** Copies as often as that of generated messages does: once either way, and nothing but the message is allocated. */
    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
            return new Bytes(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                // gRPC's stream knows its length; without a limit it would be read by way of a buffer of 16 KiB.
                byte[] message = new byte[stream.available()];
                int length = stream.readNBytes(message, 0, message.length);
                return length == message.length ? message : Arrays.copyOf(message, length);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    };

    static final MethodDescriptor<byte[], byte[]> ASK =
            method(MethodType.UNARY, "Ask").setSampledToLocalTracing(true).build();

    /** The same, for any number of messages. */
    static final MethodDescriptor<byte[], byte[]> STREAM =
            method(MethodType.BIDI_STREAMING, "Stream").build();

    private static MethodDescriptor.Builder<byte[], byte[]> method(MethodType type, String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES);
    }

    private GrpcMethod() {}

    /** Answers on the thread that has read the request. */
    static ServerServiceDefinition service(UnaryOperator<MemorySegment> replying) {
        UnaryOperator<byte[]> reply =
                request -> replying.apply(MemorySegment.ofArray(request)).toArray(ValueLayout.JAVA_BYTE);
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(ASK, ServerCalls.asyncUnaryCall((request, replies) -> {
                    replies.onNext(reply.apply(request));
                    replies.onCompleted();
                }))
                .addMethod(STREAM, ServerCalls.asyncBidiStreamingCall(replies -> answerEach(reply, replies)))
                .build();
    }

    private static StreamObserver<byte[]> answerEach(UnaryOperator<byte[]> reply, StreamObserver<byte[]> replies) {
        return new StreamObserver<>() {
            @Override
            public void onNext(byte[] request) {
                replies.onNext(reply.apply(request));
            }

            @Override
            public void onError(Throwable cause) {
                // The caller has given up.
            }

            @Override
            public void onCompleted() {
                replies.onCompleted();
            }
        };
    }

    /** A message that writes itself, as generated ones do: gRPC would copy any other stream by way of a buffer of 8 KiB. */
    private static final class Bytes extends ByteArrayInputStream implements Drainable, KnownLength {
        Bytes(byte[] message) {
            super(message);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int length = available();
            target.write(buf, pos, length);
            pos += length;
            return length;
        }
    }
}
