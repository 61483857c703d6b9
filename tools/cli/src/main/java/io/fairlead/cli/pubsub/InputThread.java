package io.fairlead.cli.pubsub;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages ahead, in a thread of its own: the thread of the worker must never wait for an input, since nothing else of
 * it moves meanwhile, and its peers give it up after a while.
 */
final class InputThread {
    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCHES_AHEAD = 8;

    private final BlockingQueue<List<byte[]>> batches = new ArrayBlockingQueue<>(BATCHES_AHEAD);
    private final MessageReader reader;
    private final Runnable arrived;
    private volatile boolean ended;
    private volatile @Nullable Exception failure;

    private InputThread(MessageReader reader, Runnable arrived) {
        this.reader = reader;
        this.arrived = arrived;
    }

    /**
     * Starts to read.
     *
     * @param reader closed at its end
     * @param arrived called, from the thread that reads, whenever there is something to poll
     */
    static InputThread start(MessageReader reader, Runnable arrived) {
        InputThread input = new InputThread(reader, arrived);
        Thread.ofPlatform().daemon().name("fairlead-input").start(input::readAll);
        return input;
    }

    private void readAll() {
        try (reader) {
            for (Optional<byte[]> first = reader.next(); first.isPresent(); first = reader.next()) {
                batches.put(readBatch(first.get()));
                arrived.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            failure = e;
        }
        ended = true;
        arrived.run();
    }

    /** Reads on for as long as nothing has to be waited for, so that a message typed by hand leaves at once. */
    private List<byte[]> readBatch(byte[] first) throws Exception {
        List<byte[]> batch = new ArrayList<>();
        batch.add(first);
        int bytes = first.length;
        while (bytes < BATCH_BYTES && reader.ready()) {
            Optional<byte[]> next = reader.next();
            if (next.isEmpty()) {
                break;
            }
            batch.add(next.get());
            bytes += next.get().length;
        }
        return batch;
    }

    /** Takes the next messages, without waiting; empty if there are none now. */
    List<byte[]> poll() {
        List<byte[]> batch = batches.poll();
        return batch == null ? List.of() : batch;
    }

    /** Whether everything that there was has been polled. */
    boolean exhausted() throws Exception {
        if (!ended || !batches.isEmpty()) {
            return false;
        }
        Exception cause = failure;
        if (cause != null) {
            throw cause;
        }
        return true;
    }
}
