package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.roce.RoceSuite;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens before a guest is booted. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RoceTestCommandTest {
    @Test
    void shouldSayWhatIsMissingWithoutTheTestkit() throws Exception {
        try (CommandRun alone = CommandRun.startWithout("testkit", "roce-test")) {
            alone.assertStatus(1);
            String said = alone.errors().getFirst();
            assertTrue(said.startsWith("fairlead: roce-test needs Fairlead's testkit"), alone.errors()::toString);
        }
    }

    @Test
    void shouldNameTheSuitesThatThereAre() throws Exception {
        try (CommandRun unknown = CommandRun.start("roce-test", "--suite", "bogus")) {
            unknown.assertStatus(2);
            assertEquals(1, unknown.errors().size(), unknown.errors()::toString);
            for (RoceSuite suite : RoceSuite.values()) {
                assertTrue(unknown.errors().getFirst().contains(suite.toString()), unknown.errors()::toString);
            }
        }
        try (CommandRun help = CommandRun.start("roce-test", "--help")) {
            help.assertStatus(0);
            assertTrue(help.text().contains("selection"), help.text());
        }
    }

    @Test
    void shouldRefuseNumbersOutOfRange() throws Exception {
        assertRefused("--guests=17, 1 to 16", "--suite=contract", "--guests=17");
        assertRefused("--guests=2, 1 to 1", "--suite=demo", "--guests=2");
        assertRefused("--limit=0, 1 to 240", "--limit=0");
    }

    private static void assertRefused(String part, String first, String... more) throws Exception {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "roce-test";
        arguments[1] = first;
        System.arraycopy(more, 0, arguments, 2, more.length);
        try (CommandRun refused = CommandRun.start(arguments)) {
            refused.assertStatus(2);
            assertTrue(refused.errors().getFirst().contains(part), refused.errors()::toString);
        }
    }
}
