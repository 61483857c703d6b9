package io.fairlead.testkit.contract;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.config.ConfigKeys;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/**
 * The other {@link FaultParty}, in a process of its own, for as many rounds as it lives: connects or accepts, posts its operations, and
 * judges when the connection has ended. Ends with the case's process, whose end closes its standard input.
 */
final class FaultProgram {
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Queue<String> commands = new ConcurrentLinkedQueue<>();

    private FaultProgram() {}

    /**
     * Runs the peer.
     *
     * @param arguments the transport's name, and {@code liveness.timeout} and {@code stall.timeout} in ms
     */
    public static void main(String[] arguments) {
        FaultProgram program = new FaultProgram();
        Thread.ofPlatform().daemon().name("commands").start(program::listen);
        program.run(arguments[0], Duration.ofMillis(Long.parseLong(arguments[1])));
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

    private void run(String transport, Duration liveness) {
        try (Arena arena = Arena.ofShared();
                Side side = new Side(
                        "process",
                        Context.open(PeerProgram.config(transport)
                                .with(ConfigKeys.LIVENESS_TIMEOUT, liveness)
                                .with(ConfigKeys.STALL_TIMEOUT, liveness)))) {
            FaultParty party = new FaultParty(side, arena);
            say("listening " + side.listener().address().getPort());
            for (String command = next(side); !command.equals("exit"); command = next(side)) {
                String[] words = command.split(" ", -1);
                round(side, party, words[0], Integer.parseInt(words[1]));
            }
        }
    }

    /** A round, from its connection to the verdict. */
    private void round(Side side, FaultParty party, String number, int port) {
        if (port == 0) {
            progressUntil(side, () -> side.events().count(Event.Kind.CONNECTED) > 0);
        } else {
            Endpoint connecting = side.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            progressUntil(
                    side,
                    () -> side.events().count(Event.Kind.CONNECTED) > 0
                            || connecting.failure().isPresent());
            connecting.failure().ifPresent(failure -> {
                throw new IllegalStateException("round " + number + ": not connected: " + failure);
            });
        }
        party.begin(side.events().lastConnected());
        progressUntil(side, party::ready);
        say("ready " + number);
        next(side);
        party.storm();
        say("stormed " + number);
        progressUntil(side, party::ended);
        party.reuseBuffers();
        List<String> wrong = party.verdict();
        say("verdict " + number + " " + wrong);
    }

    private String next(Side side) {
        progressUntil(side, () -> !commands.isEmpty());
        return commands.remove();
    }

    /** Without a deadline: this process ends with the one that waits for it. */
    private void progressUntil(Side side, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (side.progress() == 0) {
                side.worker().await(Duration.ofMillis(5).toNanos());
            }
            if ("exit".equals(commands.peek())) {
                System.exit(0);
            }
        }
    }

    private void say(String line) {
        out.println(PeerProgram.PREFIX + line);
    }
}
