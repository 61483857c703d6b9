package io.fairlead.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ChildProcessTest {
    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();

    @Test
    void shouldTellWhatAChildSaysAndThenItsEnd() throws InterruptedException {
        try (ChildProcess child = ChildProcess.start("version", List.of("--version"), events)) {
            ChildEvent.Said first = assertInstanceOf(ChildEvent.Said.class, next());
            assertTrue(first.line().startsWith("fairlead "), first.line());
            assertInstanceOf(ChildEvent.Said.class, next());
            assertEquals(new ChildEvent.Ended(child, 0), next());
        }
    }

    @Test
    void shouldTellComplaintAndExitStatus() throws InterruptedException {
        try (ChildProcess child = ChildProcess.start("wrong", List.of("--no-such-option"), events)) {
            ChildEvent.Complained complaint = assertInstanceOf(ChildEvent.Complained.class, next());
            assertTrue(complaint.line().startsWith("fairlead: Unknown option"), complaint.line());
            ChildEvent.Ended end = assertInstanceOf(ChildEvent.Ended.class, next());
            assertEquals("ended with exit status 2", end.description());
            assertEquals(child, end.child());
        }
    }

    private ChildEvent next() throws InterruptedException {
        ChildEvent event = events.poll(50, TimeUnit.SECONDS);
        assertNotNull(event, "no event in time");
        return event;
    }
}
