package io.fairlead.samples.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.PathPolicy;
import io.fairlead.samples.training.TrainingMessage.Failed;
import io.fairlead.samples.training.TrainingMessage.Finished;
import io.fairlead.samples.training.TrainingMessage.Join;
import io.fairlead.samples.training.TrainingMessage.Progress;
import io.fairlead.samples.training.TrainingMessage.Start;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TrainingMessageTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 4711);

    @Test
    void shouldReadWhatItHasWritten() {
        for (TrainingMessage message : List.of(
                new Start(300, PathPolicy.named("shm"), ADDRESS),
                new Progress(12, 0.25),
                new Finished(1L << 40, 7, new RingPath("ucx", "mlx5_0:1", List.of("rc_verbs", "ud_verbs"), "why")),
                new Finished(1, 0, RingPath.NONE),
                new Failed(TrainingException.NOBODY, "cause"))) {
            assertEquals(message, TrainingMessage.of(message.tag(), message.toBytes()));
        }
        Join join = new Join(1, 2, ADDRESS, new byte[] {3, 4});
        Join read = assertInstanceOf(Join.class, TrainingMessage.of(join.tag(), join.toBytes()));
        assertArrayEquals(new byte[] {3, 4}, read.weightsKey());
        assertEquals(List.of(1, 2, ADDRESS), List.of(read.rank(), read.workers(), read.address()));
    }

    @Test
    void shouldRefuseWhatIsNoMessage() {
        byte[] start = new Start(300, PathPolicy.AUTO, ADDRESS).toBytes();
        byte[] damaged = start.clone();
        damaged[6] = '!';
        assertThrows(TrainingException.class, () -> TrainingMessage.of(TrainingMessage.START_TAG, damaged));
        assertThrows(TrainingException.class, () -> TrainingMessage.of(TrainingMessage.START_TAG, new byte[5]));
        assertEquals(
                "message not understood: tag=99, length=0 bytes; do all processes run the same version?",
                assertThrows(TrainingException.class, () -> TrainingMessage.of(99, new byte[0]))
                        .getMessage());
    }
}
