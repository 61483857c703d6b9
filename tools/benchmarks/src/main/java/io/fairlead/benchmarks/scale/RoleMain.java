package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** A process of a table. Does the turns that its input names, line by line, and ends with it. */
public final class RoleMain {
    /** With the introduction of the role. */
    static final String READY = "ready";

    /** With what a turn has come to. */
    static final String DONE = "done";

    private RoleMain() {}

    /**
     * Takes a role.
     *
     * @param args the role, and what it is made with
     */
    public static void main(String[] args) {
        List<String> words = Arrays.asList(args);
        int status = 0;
        try (Role role = role(words.getFirst(), words.subList(1, words.size()))) {
            BlockingQueue<Optional<String>> lines = read(role);
            DirectedProcess.tell(READY, role.introduction());
            for (Optional<String> line = next(role, lines); line.isPresent(); line = next(role, lines)) {
                DirectedProcess.tell(DONE, role.turn(List.of(line.get().split(" ", -1))));
            }
        } catch (RuntimeException | OutOfMemoryError failure) {
            DirectedProcess.tellFailure(failure);
            status = 1;
        }
        System.exit(status);
    }

    private static Role role(String name, List<String> arguments) {
        return switch (name) {
            case EndpointsAnswer.NAME -> new EndpointsAnswer(arguments);
            case EndpointsAsk.NAME -> new EndpointsAsk(arguments);
            case NodeAnswer.NAME -> new NodeAnswer(arguments);
            case NodeAsk.NAME -> new NodeAsk(arguments);
            case TopicPublish.NAME -> new TopicPublish(arguments);
            case TopicSubscribe.NAME -> new TopicSubscribe(arguments);
            case RegionsOwner.NAME -> new RegionsOwner(arguments);
            case RegionsUse.NAME -> new RegionsUse(arguments);
            default -> throw new IllegalArgumentException("no such role: name=" + name);
        };
    }

    /** Lines, and nothing after the last. */
    private static BlockingQueue<Optional<String>> read(Role role) {
        BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
        Thread resting = Thread.currentThread();
        Thread.ofPlatform().daemon().name("input").start(() -> {
            try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (String line = input.readLine(); line != null; line = input.readLine()) {
                    lines.add(Optional.of(line));
                    LockSupport.unpark(resting);
                    role.wake();
                }
            } catch (IOException gone) {
                // That is an end too.
            }
            lines.add(Optional.empty());
            LockSupport.unpark(resting);
            role.wake();
        });
        return lines;
    }

    private static Optional<String> next(Role role, BlockingQueue<Optional<String>> lines) {
        Optional<String> line = lines.poll();
        while (line == null) {
            role.rest();
            line = lines.poll();
        }
        return line;
    }
}
