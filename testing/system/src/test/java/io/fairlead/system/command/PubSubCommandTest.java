package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Publishers and subscribers, each a process of its own. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PubSubCommandTest {
    private static final String LINES =
            IntStream.range(0, 20_000).mapToObj(i -> "line " + i + " of many\n").collect(Collectors.joining());

    @TempDir
    private Path folder;

    private String address = "";

    @Test
    void shouldCarryTheLinesOfAFileToEverySubscriber() throws Exception {
        Path file = Files.writeString(folder.resolve("rows.txt"), LINES);
        try (CommandRun pub = CommandRun.start("pub", "rows", "-l", "0", "-w", "2", "-f", file.toString());
                CommandRun one = CommandRun.start("sub", "rows", "-C", address(pub));
                CommandRun other = CommandRun.start("sub", "rows", "-C", address)) {
            one.assertStatus(0);
            other.assertStatus(0);
            pub.assertStatus(0);
            assertEquals(LINES, one.text());
            assertEquals(LINES, other.text());
            assertEquals(List.of(), one.errors());
        }
    }

    @Test
    void shouldCarryEachLineOfStdinAtOnce() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0");
                CommandRun sub = CommandRun.startUnread("sub", "typed", "-C", address(pub));
                BufferedReader seen =
                        new BufferedReader(new InputStreamReader(sub.unreadOutput(), StandardCharsets.UTF_8))) {
            for (String line : List.of("first", "", "third")) {
                pub.input().write((line + "\n").getBytes(StandardCharsets.UTF_8));
                pub.input().flush();
                assertEquals(line, seen.readLine());
            }
            pub.input().write("without end".getBytes(StandardCharsets.UTF_8));
            pub.input().close();
            assertEquals("without end", seen.readLine());
            pub.assertStatus(0);
            sub.assertStatus(0);
        }
    }

    @Test
    void shouldCarryBytesWithTheirLengths() throws Exception {
        byte[] messages = ByteBuffer.allocate(14)
                .putInt(0)
                .putInt(2)
                .put(new byte[] {'\n', 0})
                .putInt(0)
                .array();
        try (CommandRun pub = CommandRun.start("pub", "bytes", "-l", "0", "--binary");
                CommandRun sub = CommandRun.start("sub", "bytes", "-C", address(pub), "--binary")) {
            pub.input().write(messages);
            pub.input().close();
            sub.assertStatus(0);
            assertArrayEquals(messages, sub.output());
        }
    }

    @Test
    void shouldCarryWholeFilesUnderTheirNames() throws Exception {
        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        Path empty = Files.createFile(folder.resolve("empty"));
        Path full = Files.write(folder.resolve("large.bin"), large);
        Path target = Files.createDirectory(folder.resolve("target"));
        try (CommandRun pub =
                        CommandRun.start("pub", "files", "-l", "0", "--files", empty.toString(), full.toString());
                CommandRun sub = CommandRun.start("sub", "files", "-C", address(pub), "--into", target.toString())) {
            sub.assertStatus(0);
            assertArrayEquals(large, Files.readAllBytes(target.resolve("large.bin")));
            assertEquals(0, Files.size(target.resolve("empty")));
            try (Stream<Path> files = Files.list(target)) {
                assertEquals(2, files.count());
            }
        }
    }

    @Test
    void shouldGiveTheLastMessagesToALateSubscriber() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "late", "-l", "0", "-w", "0", "--snapshot", "2", "--stay")) {
            String address = address(pub);
            pub.input().write("one\ntwo\nthree\n".getBytes(StandardCharsets.UTF_8));
            pub.input().close();
            pub.awaitError("end of the input");
            try (CommandRun sub = CommandRun.start("sub", "late", "-C", address, "--from", "snapshot", "-n", "2")) {
                sub.assertStatus(0);
                assertEquals("two\nthree\n", sub.text());
            }
            pub.terminate();
            pub.assertStatus(143);
        }
    }

    @Test
    void shouldEndSubscriberInOrderWhenThePublisherIsTerminated() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "ends", "-l", "0");
                CommandRun sub = CommandRun.startUnread("sub", "ends", "-C", address(pub));
                BufferedReader seen =
                        new BufferedReader(new InputStreamReader(sub.unreadOutput(), StandardCharsets.UTF_8))) {
            publishOneLine(pub, seen);
            pub.terminate();
            pub.assertStatus(143);
            sub.assertStatus(0);
        }
    }

    @Test
    void shouldSayWhereAPublisherWasWhenItWasTerminated() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "waits", "-l", "0", "-w", "2")) {
            address(pub);
            pub.terminate();
            pub.assertStatus(143);
            assertEquals(
                    "fairlead: stopped while it waited for subscribers: 0 of 2",
                    pub.errors().getLast());
        }
        try (CommandRun pub = CommandRun.start("pub", "reads", "-l", "0", "-w", "0")) {
            pub.awaitError("publishing");
            pub.terminate();
            pub.assertStatus(143);
            assertEquals(
                    "fairlead: stopped before the end of the input, messages: 0",
                    pub.errors().getLast());
        }
    }

    @Test
    void shouldNameTheLossOfAKilledPublisher() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "dies", "-l", "0");
                CommandRun sub = CommandRun.startUnread("sub", "dies", "-C", address(pub));
                BufferedReader seen =
                        new BufferedReader(new InputStreamReader(sub.unreadOutput(), StandardCharsets.UTF_8))) {
            publishOneLine(pub, seen);
            pub.kill();
            sub.assertStatus(1);
            assertEquals(1, sub.errors().size(), sub.errors()::toString);
            assertTrue(
                    sub.errors()
                            .getFirst()
                            .matches("fairlead: publisher lost: address=127.0.0.1:\\d+, received=1 messages;.*"),
                    sub.errors()::toString);
        }
    }

    @Test
    void shouldGoOnWhenASubscriberIsKilledOrTerminated() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "goes on", "-l", "0", "-w", "3");
                CommandRun killed = CommandRun.start("sub", "goes on", "-C", address(pub));
                CommandRun ended = CommandRun.start("sub", "goes on", "-C", address);
                CommandRun last = CommandRun.start("sub", "goes on", "-C", address)) {
            pub.awaitError("publishing");
            killed.kill();
            ended.terminate();
            ended.assertStatus(143);
            pub.input().write(LINES.getBytes(StandardCharsets.UTF_8));
            pub.input().close();
            last.assertStatus(0);
            pub.assertStatus(0);
            assertEquals(LINES, last.text());
        }
    }

    @Test
    void shouldEndQuietlyWhenNobodyReadsTheOutputAnyMore() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "pipe", "-l", "0");
                CommandRun sub = CommandRun.startUnread("sub", "pipe", "-C", address(pub))) {
            sub.unreadOutput().close();
            pub.input().write(LINES.getBytes(StandardCharsets.UTF_8));
            pub.input().close();
            sub.assertStatus(0);
            assertEquals(List.of(), sub.errors());
            pub.assertStatus(0);
        }
    }

    @Test
    void shouldConnectAgainAndSayWhatWasMissed() throws Exception {
        try (CommandRun first = CommandRun.start("pub", "again", "-l", "0")) {
            String address = address(first);
            try (CommandRun sub = CommandRun.startUnread("sub", "again", "-C", address, "--reconnect");
                    BufferedReader seen =
                            new BufferedReader(new InputStreamReader(sub.unreadOutput(), StandardCharsets.UTF_8))) {
                publishOneLine(first, seen);
                first.kill();
                sub.awaitError("connection ended, connecting again");
                try (CommandRun second = CommandRun.start("pub", "again", "-l", address)) {
                    sub.awaitError("the publisher was restarted");
                    publishOneLine(second, seen);
                }
                sub.terminate();
                sub.assertStatus(143);
            }
        }
    }

    private static void publishOneLine(CommandRun pub, BufferedReader seen) throws IOException {
        pub.input().write("one line\n".getBytes(StandardCharsets.UTF_8));
        pub.input().flush();
        assertEquals("one line", seen.readLine());
    }

    /** The address that a publisher says it took. */
    private String address(CommandRun pub) throws InterruptedException {
        address = pub.awaitError("fairlead: topic .* at ([^,]+)");
        return address;
    }
}
