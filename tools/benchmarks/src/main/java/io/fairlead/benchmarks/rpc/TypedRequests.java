package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.benchmarks.contest.RequestSide;
import io.fairlead.benchmarks.contest.RequestSide.Answers;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.ServiceOptions;
import io.fairlead.services.ClientOptions;
import io.fairlead.services.PayloadCodec;
import io.fairlead.services.PayloadCoder;
import io.fairlead.services.ServeOptions;
import io.fairlead.services.TypedService;
import io.fairlead.services.TypedServices;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Calls of a typed service, with gRPC's messages of {@link GrpcMethod}: bytes. Answered on the progress thread, as gRPC's are on its event loop. */
final class TypedRequests {
    private static final ClientOptions OPTIONS = ClientOptions.DEFAULT.withDeadline(Duration.ofSeconds(50));

    private TypedRequests() {}

    /** What both sides know. */
    interface Echo {
        /** Answers a message by another. */
        CompletableFuture<byte[]> ask(byte[] message);
    }

    /** Copies once either way, as what marshals gRPC's messages. */
    private record Bytes() implements PayloadCodec, PayloadCoder {
        @Override
        public String name() {
            return "bytes";
        }

        @Override
        public PayloadCoder coder(Type type) {
            return this;
        }

        @Override
        public void encode(Object value, OutputStream target) throws IOException {
            target.write((byte[]) value);
        }

        @Override
        public Object decode(ByteBuffer payload) {
            byte[] message = new byte[payload.remaining()];
            payload.get(message);
            return message;
        }
    }

    /** Listens, or connects to a port. */
    static RequestSide open(String policy, Optional<String> address) {
        Node node = Node.start(FairleadPeer.config(policy, Idle.BACK_OFF));
        return address.isPresent() ? ask(node, address.get()) : answer(node);
    }

    private static RequestSide ask(Node node, String port) {
        Peer peer = node.connect(FairleadPeer.loopback(port)).join();
        Echo echo = TypedServices.client(peer, Echo.class, new Bytes(), OPTIONS);
        return RequestSide.asking(
                peer.path().transport(),
                (_, number, size) -> echo.ask(Payload.bytes(size, number))
                        .thenAccept(reply -> Payload.checkReply(MemorySegment.ofArray(reply), size, number)),
                node);
    }

    private static RequestSide answer(Node node) {
        Answers answers = new Answers();
        TypedService _ = TypedServices.serve(
                node,
                Echo.class,
                message -> CompletableFuture.completedFuture(
                        answers.reply(MemorySegment.ofArray(message)).toArray(ValueLayout.JAVA_BYTE)),
                new Bytes(),
                ServeOptions.DEFAULT.withRequests(ServiceOptions.DEFAULT.onProgressThread()));
        int port = node.listen(FairleadPeer.loopback(0), _ -> {}).address().getPort();
        return RequestSide.answering(String.valueOf(port), answers, node);
    }
}
