package io.fairlead.internal.files;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FileWatchTest {
    /** So long ago that a file of then is not written again without another time. */
    private static final FileTime OLD = FileTime.from(Instant.now().minus(Duration.ofHours(1)));

    private static final FileTime LESS_OLD = FileTime.from(OLD.toInstant().plus(Duration.ofMinutes(1)));

    @TempDir
    private Path folder;

    private Path write(String name, String text, FileTime time) throws IOException {
        return Files.setLastModifiedTime(Files.writeString(folder.resolve(name), text), time);
    }

    @Test
    void shouldTakeOldFilesForUnchanged() throws IOException {
        FileWatch watch = new FileWatch(List.of(write("a", "1", OLD), folder.resolve("missing")));
        assertFalse(watch.mayHaveChanged());
        assertFalse(watch.mayHaveChanged());
    }

    @Test
    void shouldSeeAnotherTimeAndAnotherLengthOnce() throws IOException {
        Path file = write("a", "1", OLD);
        FileWatch watch = new FileWatch(List.of(write("b", "1", OLD), file));

        write("a", "2", LESS_OLD);
        assertTrue(watch.mayHaveChanged());
        assertFalse(watch.mayHaveChanged());

        write("a", "33", LESS_OLD);
        assertTrue(watch.mayHaveChanged());
        assertFalse(watch.mayHaveChanged());
    }

    /** As an older file is, which is copied with its time. */
    @Test
    void shouldSeeAnotherFileOfTheSameTimeAndLength() throws IOException {
        Path file = write("a", "1", OLD);
        FileWatch watch = new FileWatch(List.of(file));
        Files.move(write("new", "2", OLD), file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        assertTrue(watch.mayHaveChanged());
    }

    @Test
    void shouldSeeAFileComeAndGo() throws IOException {
        Path file = folder.resolve("a");
        FileWatch watch = new FileWatch(List.of(file));
        write("a", "1", OLD);
        assertTrue(watch.mayHaveChanged());
        Files.delete(file);
        assertTrue(watch.mayHaveChanged());
        assertFalse(watch.mayHaveChanged());
    }

    /** Secrets are mounted so: a link is turned to another folder. */
    @Test
    void shouldSeeALinkThatIsTurned() throws IOException {
        write("one", "1", OLD);
        write("two", "2", OLD);
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("one"));
        FileWatch watch = new FileWatch(List.of(link));
        assertFalse(watch.mayHaveChanged());
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("two"));
        assertTrue(watch.mayHaveChanged());
    }

    @Test
    void shouldNotTrustTheTimeOfAYoungFile() throws IOException {
        FileTime justNow = FileTime.from(Instant.now());
        Path file = write("a", "1", justNow);
        FileWatch watch = new FileWatch(List.of(file));
        write("a", "2", justNow);
        assertTrue(watch.mayHaveChanged());
    }

    @Test
    void shouldGoOnAfterATaskThatThrows() throws Exception {
        Semaphore done = new Semaphore(0);
        try (FileWatch watch = new FileWatch(List.of())) {
            watch.start("watch-of-a-test", Duration.ofMillis(1), () -> {
                done.release();
                throw new StackOverflowError("of a test");
            });
            done.acquire(3);
        }
    }

    @Test
    void shouldDoItsTaskUntilItIsClosed() throws Exception {
        Semaphore done = new Semaphore(0);
        FileWatch watch = new FileWatch(List.of());
        watch.start("watch-of-a-test", Duration.ofMillis(1), done::release);
        done.acquire(3);
        watch.close();
        watch.close();
        assertTrue(Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("watch-of-a-test")));
    }

    /** As a file on a network mount whose server does not answer. */
    @Test
    void shouldCloseBesideATaskThatDoesNotEnd() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        FileWatch watch = new FileWatch(List.of());
        watch.start("test-watch", Duration.ofMillis(1), () -> {
            begun.countDown();
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException ignored) {
                    // Opening a file does not end for that either.
                }
            }
        });
        try {
            begun.await();
            Thread closing = Thread.ofPlatform().daemon().start(watch::close);
            assertTrue(closing.join(Duration.ofSeconds(20)), "waits for the task");
        } finally {
            end.countDown();
        }
    }
}
