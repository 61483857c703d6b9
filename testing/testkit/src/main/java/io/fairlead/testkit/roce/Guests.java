package io.fairlead.testkit.roce;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Guests that run side by side, each with a folder of its own, and one more folder that all of them see. */
final class Guests implements AutoCloseable {
    private final List<Guest> running = new CopyOnWriteArrayList<>();

    /** Boots a guest for each folder. */
    void boot(GuestImage image, List<Path> folders, Path claims, int clockShift, Consumer<String> out) {
        for (Path folder : folders) {
            running.add(Guest.boot(image, folder, claims, clockShift, out));
        }
    }

    /** Waits for all of them to power off; false if one has not by then. */
    boolean await(long minutes) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        boolean ended = true;
        for (Guest guest : running) {
            ended &= guest.await(Math.max(0, deadline - System.nanoTime()));
        }
        return ended;
    }

    /** Ends them, whatever they do; thread-safe. */
    void stop() {
        running.forEach(Guest::stop);
    }

    @Override
    public void close() {
        stop();
        running.forEach(Guest::close);
    }
}
