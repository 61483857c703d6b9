package io.fairlead.cli.check;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.FairleadConfig;
import io.fairlead.MemoryRegion;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.demo.DemoExchange;
import io.fairlead.cli.perf.Dialogue;
import io.fairlead.cli.perf.PerfServer;
import io.fairlead.cli.process.StopSignal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The following side of {@code fairlead rdma-check}, in addition to {@link PerfServer}: executes the commands of {@link CheckContract}.
 *
 * <p>The answer to {@code host} is what this side sees of its host. The answer to {@code demo-start SECONDS RATE} is the port of a
 * publisher. The answer to {@code demo-sent} is what the publisher has sent. The answer to {@code check-region} is the packed key of a
 * new region. Other commands are answered by {@code done}; commands that exchange messages are answered by {@code ready} before that.
 */
final class CheckPeer implements PerfServer.Requests, AutoCloseable {
    private static final long SIGNAL_LIMIT_S = 30;

    private final FairleadConfig config;
    private final List<String> configuration;
    private final Address listen;
    private final StopSignal stop;
    private @Nullable DemoExchange demo;
    private @Nullable CheckSide side;
    private @Nullable MemoryRegion region;
    private OptionalLong signal = OptionalLong.empty();

    CheckPeer(FairleadConfig config, List<String> configuration, Address listen, StopSignal stop) {
        this.config = config;
        this.configuration = configuration;
        this.listen = listen;
        this.stop = stop;
    }

    @Override
    public Optional<String> answer(Worker worker, Endpoint client, Dialogue dialogue, String[] words) {
        return Optional.ofNullable(
                switch (words[0]) {
                    case "host" -> {
                        System.out.println("checked by way of " + client.path().orElseThrow());
                        yield JsonMapper.shared().writeValueAsString(CheckReport.Host.here(config));
                    }
                    case "demo-start" ->
                        "publishing " + startDemo(Double.parseDouble(words[1]), Double.parseDouble(words[2]));
                    case "demo-sent" -> "sent " + sent();
                    case "check-region" -> "region " + Base64.getEncoder().encodeToString(openRegion(worker));
                    case "check-word" -> "word " + region().segment().get(ValueLayout.JAVA_LONG, number(words[1]));
                    case "check-verify" -> {
                        CheckSide.verify(region().segment(), number(words[1]), number(words[2]));
                        yield "done";
                    }
                    case "check-revoke" -> {
                        closeRegion();
                        yield "done";
                    }
                    case "check-signal" -> "signal " + awaitSignal(worker);
                    case "check-nothing" -> "done";
                    case "check-echo" -> {
                        dialogue.say("ready");
                        echo(side(worker, client), number(words[1]));
                        yield "done";
                    }
                    case "check-receive" -> {
                        dialogue.say("ready");
                        receive(side(worker, client), number(words[1]));
                        yield "done";
                    }
                    case "check-send" -> {
                        dialogue.say("ready");
                        send(side(worker, client), client, number(words[1]), number(words[2]));
                        yield "done";
                    }
                    default -> null;
                });
    }

    private static int number(String word) {
        int number = Integer.parseInt(word);
        if (number < 0 || number > CheckSide.LENGTH_MAX) {
            throw CommandFailure.failed("number out of range: " + number + ", 0 to " + CheckSide.LENGTH_MAX);
        }
        return number;
    }

    // --- the demo ---

    private int startDemo(double seconds, double rate) {
        closeDemo();
        int port = listen.port() == 0 ? 0 : listen.port() + 1;
        DemoExchange started = new DemoExchange(stop, new Address(listen.host(), port), seconds, rate, configuration);
        demo = started;
        return started.port();
    }

    private long sent() {
        if (demo == null) {
            throw CommandFailure.failed(
                    "there is no demo: another check has begun since; run them one after the other");
        }
        return demo.sent();
    }

    private void closeDemo() {
        if (demo != null) {
            demo.close();
            demo = null;
        }
    }

    // --- the contract ---

    private CheckSide side(Worker worker, Endpoint client) {
        if (side == null) {
            side = new CheckSide(worker, client);
        }
        return side;
    }

    private static void echo(CheckSide side, int length) {
        CheckSide.Outcome received = side.awaitOk("receive", side.receive(length));
        side.send(side.in(), received.length());
    }

    private static void receive(CheckSide side, int length) {
        side.awaitOk("receive", side.receive(length));
        CheckSide.verify(side.in(), length, length);
    }

    /** All at once, so that most arrive before a receive is posted; in message n every byte belongs to n. */
    private static void send(CheckSide side, Endpoint client, int count, int length) {
        if ((long) count * length > CheckSide.LENGTH_MAX) {
            throw CommandFailure.failed("more than the buffer holds: count=" + count + ", length=" + length);
        }
        List<CheckSide.Pending> sends = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            MemorySegment message = side.out().asSlice((long) n * length, length);
            CheckSide.fill(message, length, n);
            sends.add(side.start(done -> client.send(message, 0, length, CheckSide.TAG, done, 0)));
        }
        sends.forEach(sent -> side.awaitOk("send", sent));
    }

    private byte[] openRegion(Worker worker) {
        closeRegion();
        region = worker.context().allocate(CheckSide.LENGTH_MAX, EnumSet.allOf(AccessRight.class));
        return region.packedKey();
    }

    private MemoryRegion region() {
        if (region == null) {
            throw CommandFailure.failed("no region is open");
        }
        return region;
    }

    private void closeRegion() {
        if (region != null) {
            region.close();
            region = null;
        }
    }

    private long awaitSignal(Worker worker) {
        if (!Dialogue.await(worker, () -> signal.isPresent(), TimeUnit.SECONDS.toNanos(SIGNAL_LIMIT_S))) {
            throw CommandFailure.failed("no signal came within " + SIGNAL_LIMIT_S + " s");
        }
        return signal.getAsLong();
    }

    @Override
    public void signalled(long value) {
        signal = OptionalLong.of(value);
    }

    @Override
    public void ended() {
        closeRegion();
        signal = OptionalLong.empty();
        if (side != null) {
            side.close();
            side = null;
        }
    }

    @Override
    public void close() {
        closeDemo();
    }
}
