package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.Message;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.testkit.contract.PeerProcess;
import io.fairlead.testkit.contract.Semantics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests of nodes whose peer is a process that is killed. */
public class NodeRequestProcessContract extends RequestCases {
    /** Creates the suite. */
    protected NodeRequestProcessContract() {}

    @Test
    @Semantics("Q-20")
    void shouldFailEveryRequestOnceWhenThePeerIsKilled() throws IOException {
        int port = address().getPort();
        try (PeerProcess process = new PeerProcess(transport(), ServiceProgram.class, Integer.toString(port))) {
            Peer peer = nextAccepted();
            assertEquals("hello", textOf(peer.request(bytes("hello"), ServiceProgram.ECHO_TAG, LONG)));
            AtomicInteger ends = new AtomicInteger();
            List<CompletableFuture<Message>> requests = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                long tag = i % 2 == 0 ? ServiceProgram.SILENT_TAG : ServiceProgram.ECHO_TAG;
                CompletableFuture<Message> request = peer.request(pattern(10_000L * (i % 4), i), tag, LONG);
                CompletableFuture<Void> _ = request.handle((_, _) -> {
                    ends.incrementAndGet();
                    return null;
                });
                requests.add(request);
            }
            until(() -> process.said("asked") || !process.isAlive(), "a request to be served");
            process.kill();
            for (int i = 0; i < requests.size(); i++) {
                if (i % 2 == 0) {
                    refusalOf(RequestStatus.UNAVAILABLE, requests.get(i));
                } else {
                    CompletableFuture<Void> ended = requests.get(i).handle((_, _) -> null);
                    get(ended);
                }
            }
            RequestException seen = refusalOf(RequestStatus.UNAVAILABLE, requests.getFirst());
            assertFalse(seen.isSafeToRetry(), "it was sent");
            until(() -> ends.get() == requests.size(), "each future to have ended once");
            assertTrue(refusalOf(RequestStatus.UNAVAILABLE, peer.request(bytes("?"), ServiceProgram.ECHO_TAG, LONG))
                    .isSafeToRetry());
            assertNothingLeft(serverNode());
        }
    }

    @Test
    @Semantics("Q-38")
    void shouldSayWhatHasNoMemory() throws IOException {
        int port = address().getPort();
        serverNode().serve(ScarceMemoryProgram.ECHO_TAG, request -> request.reply(request.segment()));
        serverNode()
                .serve(ScarceMemoryProgram.LONG_TAG, request -> request.reply(new byte[ScarceMemoryProgram.LENGTH]));
        serverNode().serve(ScarceMemoryProgram.SEND_TAG, request -> {
            CompletableFuture<Void> _ =
                    request.source().send(new byte[ScarceMemoryProgram.LENGTH], ScarceMemoryProgram.MESSAGE_TAG);
            CompletableFuture<Void> _ = request.source().send(new byte[0], ScarceMemoryProgram.MESSAGE_TAG);
            request.reply(new byte[0]);
        });
        try (PeerProcess process = new PeerProcess(transport(), ScarceMemoryProgram.class, Integer.toString(port))) {
            until(() -> process.said("again OK") || !process.isAlive(), "the process to have memory again");
            assertEquals(
                    List.of(
                            "request has no memory",
                            "send has no memory",
                            "reply has no memory",
                            "messages OK",
                            "receive has no memory",
                            "next OK",
                            "again OK"),
                    process.lines(),
                    process::ending);
        }
    }
}
