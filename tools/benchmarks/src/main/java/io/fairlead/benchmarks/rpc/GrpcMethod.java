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

/**
 * The unary method of {@link GrpcCommand}: what a code generator would write for it, with messages that are bytes. They are those of {@link RpcPayload}, so
 * that either side checks every one of them.
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

    static final MethodDescriptor<byte[], byte[]> ASK = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Ask"))
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .setSampledToLocalTracing(true)
            .build();

    /** The same, for any number of messages. */
    static final MethodDescriptor<byte[], byte[]> STREAM = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Stream"))
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();

    private GrpcMethod() {}

    /** Answers on the thread that has read the request. */
    static ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(ASK, ServerCalls.asyncUnaryCall(GrpcMethod::answer))
                .addMethod(STREAM, ServerCalls.asyncBidiStreamingCall(GrpcMethod::answerEach))
                .build();
    }

    private static void answer(byte[] request, StreamObserver<byte[]> replies) {
        replies.onNext(reply(request));
        replies.onCompleted();
    }

    private static StreamObserver<byte[]> answerEach(StreamObserver<byte[]> replies) {
        return new StreamObserver<>() {
            @Override
            public void onNext(byte[] request) {
                replies.onNext(reply(request));
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

    static byte[] request(long number) {
        return bytes(RpcPayload.request(number));
    }

    /** The reply to a request as it was received. */
    static byte[] reply(byte[] request) {
        return bytes(RpcPayload.reply(words(request)));
    }

    /** Throws unless this is the reply to the request with a number. */
    static void checkReply(byte[] reply, long number) {
        RpcPayload.checkReply(words(reply), number);
    }

    private static byte[] bytes(MemorySegment words) {
        return words.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Fails for a message of another length. */
    private static MemorySegment words(byte[] message) {
        if (message.length != RpcPayload.LENGTH) {
            throw new IllegalStateException("a message arrived with another length than was sent: length="
                    + message.length + ", sent " + RpcPayload.LENGTH + " bytes");
        }
        return MemorySegment.ofArray(new long[RpcPayload.WORDS]).copyFrom(MemorySegment.ofArray(message));
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
