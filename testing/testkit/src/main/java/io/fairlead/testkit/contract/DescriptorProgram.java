package io.fairlead.testkit.contract;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.Worker;
import io.fairlead.spi.Descriptors;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A process that is short of file descriptors: it listens, takes every message, and connects to the addresses that it receives. Ends with
 * the case's process, whose end closes its standard input.
 */
final class DescriptorProgram {
    /** Of the messages that it takes. */
    static final long TAG = 0xF11E;

    private static final int RECEIVES = 16;

    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Queue<String> commands = new ConcurrentLinkedQueue<>();
    private final List<FileChannel> fill = new ArrayList<>();

    private DescriptorProgram() {}

    /**
     * Runs the process.
     *
     * @param arguments the transport's name
     */
    public static void main(String[] arguments) {
        DescriptorProgram program = new DescriptorProgram();
        Thread.ofPlatform().daemon().name("commands").start(program::listen);
        program.run(arguments[0]);
    }

    private void listen() {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8))) {
            lines.lines().forEach(commands::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            commands.add("exit");
        }
    }

    private void run(String transport) {
        try (Arena arena = Arena.ofShared();
                Side side = new Side("process", Context.open(PeerProgram.config(transport)))) {
            MemorySegment target = arena.allocate(8);
            List<Long> receives = new ArrayList<>();
            say("listening " + side.listener().address().getPort());
            while (true) {
                String command = commands.poll();
                if (command != null && !obey(command.split(" ", -1), side)) {
                    return;
                }
                receives.removeIf(id -> side.recorder().has(id));
                while (receives.size() < RECEIVES) {
                    receives.add(side.receive(target, TAG, Worker.FULL_TAG_MASK));
                }
                if (side.progress() == 0) {
                    side.worker().await(Duration.ofMillis(5).toNanos());
                }
            }
        }
    }

    private boolean obey(String[] words, Side side) {
        switch (words[0]) {
            case "leave" -> leave(Integer.parseInt(words[1]));
            case "connect" -> connect(side, Integer.parseInt(words[1]));
            default -> {
                return false;
            }
        }
        return true;
    }

    /**
     * Opens files until there are only so many descriptors left, or closes some of them. All only when everything has been done with few left: threads need one to load a
     * class.
     */
    private void leave(int count) {
        try {
            while (Descriptors.free() > count) {
                fill.add(FileChannel.open(Path.of("/dev/null")));
            }
            while (Descriptors.free() < count && !fill.isEmpty()) {
                fill.removeLast().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        say("left " + count);
    }

    private void connect(Side side, int port) {
        Endpoint endpoint = side.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        while (!side.events().ended(endpoint) && side.events().of(endpoint).isEmpty()) {
            side.progress();
        }
        say("connecting: "
                + endpoint.failure()
                        .map(failure -> failure.reason() + " " + failure.getMessage())
                        .orElse("connected"));
    }

    private void say(String line) {
        out.println(PeerProgram.PREFIX + line);
    }
}
