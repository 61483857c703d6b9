package io.fairlead.cli.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process of a {@link Side}. It prints its address, then that it is ready, and then does the turns that its input describes, line by line; it
 * ends with its input. Every line for the process that started it begins with {@link #MARK}, since libraries print too.
 */
public final class SideMain {
    static final String MARK = "#";
    static final String AT = "at";
    /** With the nanoseconds that opening and connecting took. */
    static final String READY = "ready";

    static final String BEGAN = "began";
    static final String DONE = "done";
    static final String FAILED = "failed";
    /** A line of input instead of a turn: lets the compilers finish. */
    static final String REST = "rest";
    /** A line of input instead of a turn: the processor time of this process. */
    static final String PROCESSOR = "processor";
    /** The address of a side that listens. */
    static final String LISTEN = "-";

    private static final long END_LIMIT_NS = TimeUnit.SECONDS.toNanos(3);

    private SideMain() {}

    /**
     * Takes part.
     *
     * @param args the class of the side, the address of the other one or {@link #LISTEN}, and what the side is made with
     */
    public static void main(String[] args) {
        int status = 0;
        long startNs = System.nanoTime();
        try (Side side = side(args)) {
            say(AT, side.address());
            BlockingQueue<Optional<String>> lines = read(side);
            side.awaitPeer();
            say(READY, String.valueOf(System.nanoTime() - startNs));
            for (Optional<String> line = next(side, lines); line.isPresent(); line = next(side, lines)) {
                say(DONE, answer(side, line.get()));
            }
        } catch (RuntimeException | LinkageError | OutOfMemoryError failure) {
            String text = failure.getMessage() == null ? failure.toString() : failure.getMessage();
            say(FAILED, text.replaceAll("\\s*\\R\\s*", " "));
            status = 1;
        }
        // Some libraries leave threads behind.
        System.exit(status);
    }

    private static String answer(Side side, String line) {
        if (line.equals(REST)) {
            Jvm.awaitCompilers();
            return "";
        }
        return line.equals(PROCESSOR) ? String.valueOf(Jvm.processorNs()) : side.turn(line, () -> say(BEGAN, ""));
    }

    private static Side side(String[] args) {
        Optional<String> address = args[1].equals(LISTEN) ? Optional.empty() : Optional.of(args[1]);
        List<String> arguments = Arrays.asList(args).subList(2, args.length);
        try {
            Class<?> type = Class.forName(args[0]);
            if (Side.class.isAssignableFrom(type)) {
                Constructor<?> constructor = type.getDeclaredConstructor(List.class, Optional.class);
                constructor.setAccessible(true);
                return (Side) constructor.newInstance(arguments, address);
            }
            Method open = type.getDeclaredMethod("open", List.class, Optional.class);
            open.setAccessible(true);
            return (Side) open.invoke(null, arguments, address);
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(String.valueOf(failed.getCause()), failed);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalArgumentException("no such side: class=" + args[0], missing);
        }
    }

    private static void say(String what, String rest) {
        System.out.println(MARK + what + " " + rest);
        System.out.flush();
    }

    /** Lines, and nothing after the last. A side that does not end with its input may wait for a peer that is gone: it is halted. */
    private static BlockingQueue<Optional<String>> read(Side side) {
        BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
        Thread resting = Thread.currentThread();
        Thread.ofPlatform().daemon().name("input").start(() -> {
            try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (String line = input.readLine(); line != null; line = input.readLine()) {
                    lines.add(Optional.of(line));
                    LockSupport.unpark(resting);
                    side.wake();
                }
            } catch (IOException gone) {
                // That is an end too.
            }
            lines.add(Optional.empty());
            LockSupport.unpark(resting);
            side.wake();
            long deadline = System.nanoTime() + END_LIMIT_NS;
            while (System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(deadline - System.nanoTime());
            }
            Runtime.getRuntime().halt(1);
        });
        return lines;
    }

    private static Optional<String> next(Side side, BlockingQueue<Optional<String>> lines) {
        Optional<String> line = lines.poll();
        while (line == null) {
            side.rest();
            line = lines.poll();
        }
        return line;
    }
}
