package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes wrong on a command line ends with one line that names it and the remedy, and with the right status. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PubSubErrorsTest {
    @TempDir
    private Path folder;

    static Stream<Arguments> wrongCommandLines() {
        return Stream.of(
                wrong(1, "no such file: missing.csv; check the path", "pub rows --file missing.csv"),
                wrong(1, "no such file: missing.csv; check the path", "pub rows --files @ missing.csv"),
                wrong(1, "not a file but a folder: /tmp; name the files in it", "pub rows --file /tmp"),
                wrong(2, "Unknown options: '--lissen', '1'; did you mean --listen?", "pub rows --lissen 1"),
                wrong(2, "Missing required parameter: 'TOPIC'; see fairlead pub --help", "pub"),
                wrong(2, "\"nowhere\", no port; write HOST:PORT", "pub rows -l nowhere"),
                wrong(2, "'often'", "pub rows --rate often"),
                wrong(
                        2,
                        "option '--rate': -1 per second is out of range, allowed 0 to 1000000000",
                        "pub rows --rate -1"),
                wrong(2, "'sometimes', block, drop-oldest or disconnect", "pub rows --slow sometimes"),
                wrong(2, "mutually exclusive", "pub rows --file @ --binary"),
                wrong(2, "snapshot.entries=-1", "pub rows --snapshot -1"),
                wrong(1, "host=no-such-host.invalid; check its spelling", "pub rows -f @ -l no-such-host.invalid:1"),
                wrong(2, "write security.allow-insecure = true", "pub rows -f @ -l 192.0.2.1:1"),
                wrong(1, "192.0.2.1:1", "pub rows -f @ -l 192.0.2.1:1 -s security.allow-insecure=true"),
                wrong(2, "liveness.timeout=soon", "pub rows -f @ --set liveness.timeout=soon"),
                wrong(2, "did you mean liveness.timeout?", "pub rows -f @ --set livenes.timeout=1s"),
                wrong(
                        2,
                        "unknown key: key=bogus.key; config/fairlead.conf lists all keys (--set)",
                        "pub rows -s bogus.key=1"),
                wrong(2, "missing.conf", "pub rows -f @ --config missing.conf"),
                wrong(2, "policy=Nothing!", "pub rows -f @ --policy Nothing!"),
                wrong(2, "policy=fastest is no policy and names no transport", "pub rows -f @ --policy fastest"),
                wrong(2, "did you mean tcp-only? (--set)", "pub rows -f @ --set policy=tpc-only"),
                wrong(
                        1,
                        "nothing listens: address=127.0.0.1:1; start the publisher first (fairlead pub rows),"
                                + " or wait longer for it (--wait SECONDS)",
                        "sub rows -C 127.0.0.1:1"),
                wrong(1, "nothing listens: address=127.0.0.1:1; start", "sub rows -C 127.0.0.1:1 --wait 0.3"),
                wrong(1, "host=no-such-host.invalid; check its spelling", "sub rows -C no-such-host.invalid:1"),
                wrong(1, "no such folder: missing; make it, or name another", "sub rows --into missing"),
                wrong(2, "option '--timeout': -1 s is out of range, allowed 0.01", "sub rows --timeout -1 --wait 3"),
                wrong(2, "option out of range: --count=0, 1 and up", "sub rows --count 0"),
                wrong(2, "'yesterday'", "sub rows --from yesterday"),
                wrong(2, "Unmatched arguments from index 0: 'subb', 'rows'; did you mean sub or pub?", "subb rows"));
    }

    private static Arguments wrong(int status, String expected, String commandLine) {
        return Arguments.of(commandLine, status, expected);
    }

    @ParameterizedTest
    @MethodSource("wrongCommandLines")
    void shouldEndWithOneLineAndStatus(String commandLine, int status, String expected) throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "a line\n");
        String[] args = commandLine.replace("@", input.toString()).split(" ", -1);
        try (CommandRun run = CommandRun.start(args)) {
            run.assertStatus(status);
            assertOneLine(run, expected);
        }
    }

    @Test
    void shouldNameThePortThatIsInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CommandRun run = CommandRun.start("pub", "rows", "-l", "127.0.0.1:" + taken.getLocalPort())) {
            run.assertStatus(1);
            assertOneLine(run, "127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void shouldNameFileAndLineOfAWrongConfiguration() throws Exception {
        Path file = Files.writeString(folder.resolve("wrong.conf"), "# A comment.\nliveness.timeout = soon\n");
        try (CommandRun run = CommandRun.start("sub", "rows", "--config", file.toString())) {
            run.assertStatus(2);
            assertOneLine(run, "wrong.conf:2");
        }
    }

    @Test
    void shouldNameTheTopicThatIsNotPublished() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "rows", "-l", "0")) {
            String address = pub.awaitError("fairlead: topic .* at ([^,]+)");
            try (CommandRun sub = CommandRun.start("sub", "colums", "-C", address)) {
                sub.assertStatus(1);
                assertOneLine(sub, "colums");
            }
        }
    }

    @Test
    void shouldNameTheTimeInWhichNoMessageCame() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "quiet", "-l", "0", "-w", "2")) {
            String address = pub.awaitError("fairlead: topic .* at ([^,]+)");
            try (CommandRun sub = CommandRun.start("sub", "quiet", "-C", address, "--timeout", "0.5")) {
                sub.assertStatus(1);
                assertOneLine(sub, "no message in time: topic=quiet, received=0, --timeout=0.5 s;");
            }
        }
    }

    @Test
    void shouldNameTheMessageThatIsNoFile() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "lines", "-l", "0")) {
            String address = pub.awaitError("fairlead: topic .* at ([^,]+)");
            try (CommandRun sub = CommandRun.start("sub", "lines", "-C", address, "--into", folder.toString())) {
                pub.input().write('\n');
                pub.input().close();
                sub.assertStatus(1);
                assertOneLine(sub, "message is no file: length=0 bytes; let the publisher publish with --files");
            }
        }
    }

    private static void assertOneLine(CommandRun run, String expected) {
        List<String> errors = run.errors();
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.getFirst().startsWith("fairlead: "), errors::toString);
        assertTrue(errors.getFirst().contains(expected), errors::toString);
    }
}
