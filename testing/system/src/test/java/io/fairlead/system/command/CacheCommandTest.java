package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cache server and its clients, each a process of its own. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CacheCommandTest {
    private static final Pattern LISTENING = Pattern.compile("cache at (\\S+) .*");

    @Test
    void shouldGetWhatWasPutAndEndInOrder() throws Exception {
        try (CommandRun server = CommandRun.startUnread("cache", "serve", "-l", "0")) {
            String address = address(server);
            assertStatus(0, "cache", "put", "greeting", "first", "-C", address);
            assertStatus(0, "cache", "put", "greeting", "grüß dich", "-C", address);
            try (CommandRun get = CommandRun.start("cache", "get", "greeting", "-C", address)) {
                get.assertStatus(0);
                assertEquals("grüß dich\n", get.text());
            }
            assertEquals(
                    "fairlead: no such key: farewell; store it first (fairlead cache put farewell VALUE)",
                    assertStatus(1, "cache", "get", "farewell", "-C", address));
            server.terminate();
            server.assertStatus(143);
        }
    }

    @Test
    void shouldRefuseWhatDoesNotFit() throws Exception {
        try (CommandRun server = CommandRun.startUnread("cache", "serve", "-l", "0", "--buckets", "1")) {
            String address = address(server);
            String line = assertStatus(1, "cache", "put", "key", "x".repeat(230), "-C", address);
            assertTrue(line.startsWith("fairlead: entry does not fit: key=3, value=230 bytes, limit 232"), line);
            line = assertStatus(1, "cache", "bench", "--seconds", "60", "-C", address);
            assertTrue(line.contains("bucket is full; give the server's table more buckets"), line);
        }
    }

    @Test
    void shouldRefuseToRunForNoTime() throws Exception {
        assertTrue(assertStatus(2, "cache", "demo", "--seconds", "0").contains("'--seconds': 0 s is out of range"));
        assertTrue(assertStatus(2, "cache", "bench", "--seconds", "0").contains("'--seconds': 0 s is out of range"));
    }

    @Test
    void shouldVerifyWhatManyProcessesReadAndWriteAtOnce() throws Exception {
        try (CommandRun demo = CommandRun.start("cache", "demo", "--seconds", "1")) {
            demo.assertStatus(0);
            List<String> lines = demo.text().lines().toList();
            assertEquals(6, lines.size(), demo.text());
            assertEquals(
                    3,
                    lines.stream().filter(line -> line.contains("all verified")).count(),
                    demo.text());
        }
    }

    @Test
    void shouldEndClientsWithANamedErrorWhenTheServerIsKilled() throws Exception {
        try (CommandRun server = CommandRun.startUnread("cache", "serve", "-l", "0")) {
            String address = address(server);
            try (CommandRun bench = CommandRun.startUnread("cache", "bench", "--seconds", "100", "-C", address)) {
                BufferedReader started =
                        new BufferedReader(new InputStreamReader(bench.unreadOutput(), StandardCharsets.UTF_8));
                assertTrue(started.readLine().startsWith("reading"));
                server.kill();
                bench.assertStatus(1);
                assertEquals(1, bench.errors().size(), bench.errors()::toString);
                assertTrue(bench.errors().getFirst().startsWith("fairlead: "), bench.errors()::toString);
                assertTrue(bench.errors().getFirst().contains(address), bench.errors()::toString);
            }
        }
    }

    @Test
    void shouldNameWhatIsWrongWithTheCommandLine() throws Exception {
        assertEquals(
                "fairlead: Missing subcommand: serve, put, get, bench or demo; see fairlead cache --help",
                assertStatus(2, "cache"));
        assertEquals(
                "fairlead: option out of range: --buckets=0, 1 to 16777216; change it",
                assertStatus(2, "cache", "serve", "--buckets", "0"));
        String line = assertStatus(1, "cache", "get", "key", "-C", "127.0.0.1:1");
        assertTrue(line.contains("127.0.0.1:1"), line);
    }

    /** Runs a command and returns its only line on stderr, or nothing. */
    private static String assertStatus(int status, String... args) throws Exception {
        try (CommandRun run = CommandRun.start(args)) {
            run.assertStatus(status);
            assertTrue(run.errors().size() <= 1, run.errors()::toString);
            return String.join("", run.errors());
        }
    }

    private static String address(CommandRun server) throws IOException {
        BufferedReader output =
                new BufferedReader(new InputStreamReader(server.unreadOutput(), StandardCharsets.UTF_8));
        Matcher listening = LISTENING.matcher(String.valueOf(output.readLine()));
        assertTrue(listening.matches(), () -> "no address; stderr: " + server.errors());
        return listening.group(1);
    }
}
