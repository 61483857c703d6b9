package io.fairlead.samples.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(60)
final class FairleadCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine command =
            new CommandLine(new FairleadCommand()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

    @Test
    void shouldTellVersionThatTheBuildWrote() {
        assertEquals(0, command.execute("--version"));
        assertTrue(out.toString().matches("(?s)fairlead \\d+\\.\\d+\\.\\d+.*java 2[5-9].*"), out::toString);
    }

    @Test
    void shouldAnswerMissingSubcommandWithUsageAndStatusTwo() {
        assertEquals(2, command.execute());
        assertTrue(err.toString().contains("Usage: fairlead"), err::toString);
    }
}
