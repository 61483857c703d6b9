package io.fairlead.benchmarks.contest;

import io.fairlead.benchmarks.contest.RequestSide.Answers;
import io.fairlead.benchmarks.contest.RequestSide.Asker;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Requests of nodes, answered on the progress thread: by the node's own requests, or by messages with tags, which an application pairs itself. */
public enum NodeRequests {
    OWN,
    BY_TAGS;

    private static final Duration DEADLINE = Duration.ofSeconds(50);
    private static final int TAGGED_MAX = 64;
    /** Beyond the tags of messages. */
    private static final long SERVICE = RequestSide.SLOTS;

    /** Listens, or connects to a port. */
    public RequestSide open(String policy, Idle idle, Optional<String> address) {
        Node node = Node.start(FairleadPeer.config(policy, idle));
        return address.map(port -> ask(node, port)).orElseGet(() -> answer(node));
    }

    private RequestSide ask(Node node, String port) {
        Peer peer = node.connect(FairleadPeer.loopback(port)).join();
        Asker asker = this == OWN
                ? (slot, number, size) -> peer.request(Payload.message(size, number), SERVICE, DEADLINE)
                        .thenAccept(reply -> check(reply, number, size))
                : (slot, number, size) -> askByTag(peer, slot, number, size);
        return RequestSide.asking(peer.path().transport(), asker, node);
    }

    private static CompletableFuture<Void> askByTag(Peer peer, int slot, long number, int size) {
        CompletableFuture<Void> replied = peer.receive(slot).thenAccept(reply -> check(reply, number, size));
        CompletableFuture<Void> sent = peer.send(Payload.message(size, number), slot);
        // Without a request no reply comes.
        return sent.isCompletedExceptionally() ? sent : replied;
    }

    private static void check(Message reply, long number, int size) {
        try (reply) {
            Payload.checkReply(reply.segment(), size, number);
        }
    }

    private RequestSide answer(Node node) {
        Answers answers = new Answers();
        if (this == OWN) {
            Service _ = node.serve(
                    SERVICE,
                    ServiceHandler.replying(request -> answers.reply(request.segment())),
                    ServiceOptions.DEFAULT.onProgressThread());
        }
        int port = node.listen(FairleadPeer.loopback(0), peer -> {
                    for (int i = 0; this == BY_TAGS && i < RequestSide.SLOTS; i++) {
                        answerByTag(peer, answers);
                    }
                })
                .address()
                .getPort();
        return RequestSide.answering(String.valueOf(port), answers, node);
    }

    /** Answers the next message, and all that follow. */
    private static void answerByTag(Peer peer, Answers answers) {
        // That the peer is gone is what ends it.
        CompletableFuture<Void> _ = peer.receive(0, 0, TAGGED_MAX).thenAccept(request -> {
            MemorySegment reply = answers.reply(request.segment());
            CompletableFuture<Void> _ = peer.send(reply, request.tag());
            answerByTag(peer, answers);
        });
    }
}
