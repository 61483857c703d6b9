package io.fairlead.cli.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two processes as the process that started them sees them. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PairTest {
    /** Does nothing; its argument says how it fails when it leads. */
    static final class Nothing extends WorkSide {
        private final String failure;
        private final Optional<String> address;

        Nothing(List<String> arguments, Optional<String> address) {
            failure = arguments.getFirst();
            this.address = address;
            if (failure.equals("start")) {
                throw new IllegalStateException("cannot start\nhere");
            }
        }

        @Override
        public String address() {
            System.out.println("words of a library");
            return address.isEmpty() ? "here" : "connected to " + address.get();
        }

        @Override
        protected void lead(Work work, Laps times) {
            switch (failure) {
                case "throw" -> throw new IllegalStateException("no luck");
                case "halt" -> Runtime.getRuntime().halt(7);
                default -> {
                    times.start();
                    times.record(2000);
                    times.stop();
                }
            }
        }

        @Override
        protected void follow(Work work) {}

        @Override
        public void close() {}
    }

    private static Pair start(String failure) throws IOException {
        return Pair.start(Pair.Ends.of("other", Nothing.class, List.of(failure)));
    }

    private static String failure(String how) throws IOException {
        try (Pair pair = start(how)) {
            IOException failure = assertThrows(IOException.class, () -> pair.turn(Work.of(PerfTest.TAG_LAT, 8, 1)));
            return String.valueOf(failure.getMessage());
        }
    }

    @Test
    void shouldReadTheFiguresOfBothSides() throws Exception {
        try (Pair pair = start("")) {
            assertEquals("connected to here", pair.connection());
            pair.rest();
            Turn turn = pair.turn(Work.of(PerfTest.TAG_LAT, 8, 1));
            assertEquals(2, turn.p50Us(), 0.01);
            assertTrue(turn.perSecond() > 0 && turn.allocated() >= 0, turn::toString);
            assertTrue(pair.follower().processorNs() > 0);
        }
    }

    @Test
    void shouldFailWithTheCauseThatAProcessTells() throws Exception {
        assertEquals("the leading process of other: no luck", failure("throw"));
        IOException failure = assertThrows(IOException.class, () -> start("start"));
        assertEquals("the following process of other: cannot start here", failure.getMessage());
    }

    @Test
    void shouldFailWithTheExitStatusOfAProcessThatDied() throws Exception {
        assertEquals("the leading process of other has ended: status=7", failure("halt"));
    }

    @Test
    void shouldRefuseWhatIsNoSide() throws Exception {
        IOException failure =
                assertThrows(IOException.class, () -> Pair.start(Pair.Ends.of("other", PairTest.class, List.of())));
        assertTrue(
                failure.getMessage().contains("no such side: class=" + PairTest.class.getName()), failure::getMessage);
    }
}
