package io.fairlead.servicetest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.node.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What tests of services stand on. */
@Timeout(60)
final class TestNodesTest {
    private static final long TAG = 1;
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private static String text(CompletableFuture<Message> reply) {
        return new String(reply.join().bytes(), StandardCharsets.UTF_8);
    }

    private static void serve(TestNodes nodes, int index, String answer) {
        nodes.service(index).serve(TAG, request -> request.reply(answer.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldConnectACallerToAService() {
        try (TestNodes nodes = TestNodes.start()) {
            serve(nodes, 0, "one");
            assertEquals("one", text(nodes.peer().request(new byte[0], TAG, DEADLINE)));
            assertEquals("one", text(nodes.peers().request(new byte[0], TAG, DEADLINE)));
        }
    }

    @Test
    void shouldLeaveOutAMemberThatCloses() {
        try (TestNodes nodes = TestNodes.start(2)) {
            serve(nodes, 0, "one");
            serve(nodes, 1, "two");
            Set<String> answers = new HashSet<>();
            while (answers.size() < 2) {
                answers.add(text(nodes.peers().request(new byte[0], TAG, DEADLINE)));
            }
            nodes.service(0).close();
            for (int i = 0; i < 20; i++) {
                assertEquals("two", text(nodes.peers().request(new byte[0], TAG, DEADLINE)));
            }
            assertEquals(
                    1,
                    MemoryRegistry.members(nodes.name().substring("memory:".length()))
                            .size());
        }
    }

    @Test
    void shouldRefuseNoMember() {
        assertThrows(IllegalArgumentException.class, () -> TestNodes.start(0));
        try (TestNodes one = TestNodes.start();
                TestNodes other = TestNodes.start()) {
            assertEquals(2, Set.copyOf(List.of(one.name(), other.name())).size());
        }
    }
}
