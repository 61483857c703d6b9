package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who redirects a command's output to where there is no room must hear of it; who has read enough need not. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CommandOutputTest {
    private static final File FULL = new File("/dev/full");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "info",
                "info --json",
                "doctor",
                "doctor --json",
                "--help",
                "--version",
                "demo --seconds=0.2 --policy=tcp-only --json",
                "cache demo --help"
            })
    void shouldFailInOneLineWhereTheDeviceIsFull(String commandLine) throws Exception {
        assumeTrue(FULL.exists(), "no /dev/full here");
        try (CommandRun run = CommandRun.startInto(FULL, commandLine.split(" ", -1))) {
            run.assertStatus(1);
            List<String> lines = run.errors().stream()
                    .filter(line -> line.startsWith("fairlead: "))
                    .toList();
            assertEquals(
                    List.of("fairlead: standard output could not be written as a whole: cause=No space left on device;"
                            + " make room, or write it elsewhere"),
                    lines,
                    run.errors()::toString);
        }
    }

    @Test
    void shouldEndWellWhereTheReaderHasGone() throws Exception {
        try (CommandRun run = CommandRun.startUnread("info", "--json")) {
            run.unreadOutput().close();
            run.assertStatus(0);
            assertEquals(List.of(), run.errors());
        }
    }
}
