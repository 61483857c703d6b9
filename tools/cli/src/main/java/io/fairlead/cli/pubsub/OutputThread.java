package io.fairlead.cli.pubsub;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages behind, in a thread of its own: the thread of the worker must never wait for an output, since nothing else of
 * it moves meanwhile, and its peers give it up after a while.
 */
final class OutputThread {
    private static final long PENDING_BYTES_MAX = 8 << 20;

    private final BlockingQueue<Optional<byte[]>> messages = new LinkedBlockingQueue<>();
    private final AtomicLong pendingBytes = new AtomicLong();
    private final MessageWriter writer;
    private final Runnable woken;
    private final Thread thread;
    private volatile @Nullable Exception failure;

    private OutputThread(MessageWriter writer, Runnable woken) {
        this.writer = writer;
        this.woken = woken;
        this.thread = Thread.ofPlatform().daemon().name("fairlead-output").unstarted(this::writeAll);
    }

    /**
     * Starts to write.
     *
     * @param writer closed at the end
     * @param woken called, from the thread that writes, when there is capacity again and when writing has failed
     */
    static OutputThread start(MessageWriter writer, Runnable woken) {
        OutputThread output = new OutputThread(writer, woken);
        output.thread.start();
        return output;
    }

    private void writeAll() {
        try (writer) {
            for (Optional<byte[]> next = messages.take(); next.isPresent(); next = messages.take()) {
                write(next.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            failure = e;
            woken.run();
        }
    }

    private void write(byte[] message) throws IOException {
        writer.write(message);
        long before = pendingBytes.getAndAdd(-message.length);
        if (messages.isEmpty()) {
            writer.flush();
        }
        if (before > PENDING_BYTES_MAX && before - message.length <= PENDING_BYTES_MAX) {
            woken.run();
        }
    }

    /** Whether more is to be added; what is added beyond is kept all the same. */
    boolean hasRoom() {
        return pendingBytes.get() <= PENDING_BYTES_MAX;
    }

    /** Adds a message, which must not change any more. */
    void add(byte[] message) {
        pendingBytes.addAndGet(message.length);
        messages.add(Optional.of(message));
    }

    /** Throws what writing failed with; returns false if the reader of the output has gone, which is no failure. */
    boolean writable() throws Exception {
        Exception cause = failure;
        if (cause instanceof IOException && String.valueOf(cause.getMessage()).contains("Broken pipe")) {
            return false;
        }
        if (cause != null) {
            throw cause;
        }
        return true;
    }

    /** Waits until everything is written; after that {@link #writable} reports whether it was. */
    void finish() throws InterruptedException {
        messages.add(Optional.empty());
        thread.join();
    }
}
