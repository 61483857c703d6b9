package io.fairlead.internal.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PeerIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessFileTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final PeerIdentity FEED = new PeerIdentity(
            "CN=feed-1,O=Example", List.of("feed-1.example.org"), List.of("spiffe://example.org/feed/1"));
    private static final PeerIdentity CACHE =
            new PeerIdentity("CN=c,O=Example", List.of("c.CACHE.example.org"), List.of());
    private static final PeerIdentity PUBLISHER = new PeerIdentity("CN=p", List.of("publisher.example.org"), List.of());

    @TempDir
    Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("acl.conf"), text);
    }

    private static InetSocketAddress from(String address) {
        return new InetSocketAddress(address, 1);
    }

    private static Path reference() {
        return Path.of("..", "config", "fairlead-acl.conf");
    }

    @Test
    void shouldRefuseRulesThatAllUsersCanWrite() throws IOException {
        Path file = write("rules = [ { identity = \"*\", connect = true } ]\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
        assertEquals(1, AccessFileParser.read(file).count());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--rw-"));

        FairleadException refused = assertThrows(FairleadException.class, () -> AccessFileParser.read(file));

        assertEquals(Reason.CONFIGURATION, refused.reason());
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.endsWith("security.acl=" + file + "; chmod o-w " + file), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "identity = \"*\", connect = maybe | or connect = true or false without quotes",
                "identity = [], connect = true | an empty list of identities is about nobody",
                "identity = \"*\", connect = \"10.1.2.3/16\" | has bits set behind its first 16",
                "identity = \"*\", connect = \"fd00::1/8\" | or /128 for one address"
            })
    void shouldRefuseRulesThatCannotBeMeant(String rule, String expected) throws IOException {
        Path file = write("rules = [ { " + rule + " } ]\n");
        FairleadException refused = assertThrows(FairleadException.class, () -> AccessFileParser.read(file));
        assertTrue(String.valueOf(refused.getMessage()).contains(expected), refused::toString);
    }

    @Test
    void shouldReadTheReferenceFile() {
        AccessRules rules = AccessFileParser.read(reference());

        assertTrue(rules.connect(FEED, from("192.0.2.1")).isAllowed());
        assertTrue(rules.subscribe(FEED, "prices/eur").isAllowed());
        assertFalse(rules.subscribe(FEED, "prices/eur/usd").isAllowed());
        assertTrue(rules.subscribe(FEED, "trades/eur/usd").isAllowed());
        assertFalse(rules.publish(FEED, "prices/eur").isAllowed());
        assertEquals(Set.of(), rules.region(FEED, "cache/1"));

        assertTrue(rules.connect(CACHE, from("10.1.2.3")).isAllowed());
        assertTrue(rules.connect(CACHE, from("fd00::1")).isAllowed());
        assertFalse(rules.connect(CACHE, from("11.1.2.3")).isAllowed());
        assertEquals(Set.of(AccessRight.values()), rules.region(CACHE, "cache/1"));
        assertEquals(Set.of(AccessRight.READ), rules.region(CACHE, "other/1"));
        assertEquals(Set.of(AccessRight.READ), rules.region(CACHE, ""));

        assertFalse(rules.connect(PUBLISHER, from("10.1.2.3")).isAllowed());
        assertTrue(rules.publish(PUBLISHER, "prices/eur").isAllowed());
    }

    @Test
    void shouldRefuseAPeerThatNoRuleIsAbout() {
        AccessRules rules = AccessFileParser.read(reference());

        String reason = rules.connect(PeerIdentity.ANONYMOUS, from("10.1.2.3")).reason();

        assertEquals("no rule of fairlead-acl.conf is about this peer", reason);
        assertFalse(rules.publish(PeerIdentity.ANONYMOUS, "prices/eur").isAllowed());
        assertFalse(rules.subscribe(PeerIdentity.ANONYMOUS, "prices/eur").isAllowed());
        assertEquals(Set.of(), rules.region(PeerIdentity.ANONYMOUS, "cache/1"));
    }

    @Test
    void shouldLetTheFirstRuleAboutAPeerDecideEverything() throws IOException {
        AccessRules rules = AccessFileParser.read(write("""
                        rules = [
                          { identity = "name:CN=feed-1,O=*", connect = false }
                          { identity = "*", connect = true, publish = "**", subscribe = "**" }
                        ]
                        """));

        assertFalse(rules.connect(FEED, from("10.0.0.1")).isAllowed());
        assertFalse(rules.publish(FEED, "a").isAllowed());
        assertTrue(rules.connect(CACHE, from("10.0.0.1")).isAllowed());
        assertTrue(rules.publish(CACHE, "a").isAllowed());
    }

    @Test
    void shouldNotLetAStarReachOverThePartsOfAName() throws IOException {
        AccessRules rules =
                AccessFileParser.read(write("rules = [ { identity = \"name:CN=feed-*,O=Example\", connect = true } ]"));

        assertTrue(rules.connect(FEED, from("10.0.0.1")).isAllowed());
        PeerIdentity other = PeerIdentity.named("CN=feed-1,O=Evil,O=Example");
        assertFalse(rules.connect(other, from("10.0.0.1")).isAllowed());
        PeerIdentity escaped = PeerIdentity.named("CN=feed-1\\,O=Evil,O=Example");
        assertFalse(rules.connect(escaped, from("10.0.0.1")).isAllowed());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rule = [] | access file: unknown key: key=rule, did you mean rules? (FILE:1)",
                "rules = 1 | access file: rules is missing or no list; write rules = [ ... ] (FILE:1)",
                "rules = [ 1 ] | access file: a rule is no section; write { identity = ..., connect = true } (FILE:1)",
                "rules = [ { connect = true } ] | access file: a rule names no peer; write identity = \"dns:feed.example.org\" or another (FILE:1)",
                "rules = [ { identity = \"*\" } ] | access file: a rule does not say whether its peers may connect; write connect = true, false, or a list of networks (FILE:1)",
                "rules = [ { identity = feed, connect = true } ] | access file: identity=feed says not of what kind it is; write name:, dns: or uri: before it, or * for every peer (FILE:1)",
                "rules = [ { identity = \"*\", connect = \"10.0.0.0/33\" } ] | access file: network=10.0.0.0/33 has a wrong number of bits; allowed 0 to 32 (FILE:1)",
                "rules = [ { identity = \"*\", connect = [host] } ] | access file: network=host is no address; write one such as 10.1.0.0/16 or fd00::/8, or connect = true or false without quotes (FILE:1)",
                "rules = [ { identity = \"*\", connect = [\"127.1\"] } ] | access file: network=127.1 is no address of four numbers without leading zeros; write 127.0.0.1 if that is what is meant (FILE:1)",
                "rules = [ { identity = \"*\", connect = [\"010.0.0.0/8\"] } ] | access file: network=010.0.0.0/8 is no address of four numbers without leading zeros; write 10.0.0.0/8 if that is what is meant (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, subscibe = a } ] | access file: unknown key: key=subscibe, did you mean subscribe? (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, publish = { a = 1 } } ] | access file: publish holds what is no text: {\"a\":1}; write text in quotes (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, publish = \"a***\" } ] | access file: pattern has three stars in a row: pattern=a***; * stands for characters up to a separator, ** for any (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, messages = some } ] | access file: messages is neither true nor false; write messages = true (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, services = [17, \"x\"] } ] | access file: services holds what is no tag of a service: \"x\", allowed 0 to 2^48 - 1; write services = true, or tags such as [17, \"0x1100\"] (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, services = -1 } ] | access file: services holds what is no tag of a service: -1, allowed 0 to 2^48 - 1; write services = true, or tags such as [17, \"0x1100\"] (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, regions = [ { label = a } ] } ] | access file: a region needs a label and rights; write { label = \"cache\", rights = [read] } (FILE:1)",
                "rules = [ { identity = \"*\", connect = true, regions = [ { label = a, rights = [own] } ] } ] | access file: unknown right: own; there are read, write and atomic (FILE:1)",
            })
    void shouldSayInOneLineWhatIsWrongAndWhere(String text, String expected) throws IOException {
        Path file = write(text);

        FairleadException failure = assertThrows(FairleadException.class, () -> AccessFileParser.read(file));

        assertEquals(Reason.CONFIGURATION, failure.reason());
        assertEquals(expected.replace("FILE", file.toString()), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "identity = \"WRONG\", connect = true",
                "identity = \"*\", connect = \"WRONG\"",
                "identity = \"*\", connect = \"10.0.0.0/WRONG\"",
                "identity = \"*\", connect = true, publish = \"***WRONG\"",
                "identity = \"*\", connect = true, regions = [ { label = a, rights = \"WRONG\" } ]",
                "identity = \"*\", connect = true, \"WRONG\" = 1",
            })
    void shouldShowOfAWrongTextTheBeginningAndNoControlCharacters(String rule) throws IOException {
        String wrong = "\\u0000\\n\\u0085" + "a".repeat(300);
        Path file = write("rules = [ { " + rule.replace("WRONG", wrong) + " } ]");

        String message = String.valueOf(assertThrows(FairleadException.class, () -> AccessFileParser.read(file))
                .getMessage());

        assertTrue(message.contains("   aaaa"), message);
        assertTrue(message.contains("aaa..."), message);
        assertTrue(message.chars().noneMatch(Character::isISOControl), message);
    }

    /** HOCON lets the last of two keys replace or extend the first, and says nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rules = [ { identity = \"*\", connect = false } ]\\nrules = [ { identity = \"*\", connect = true } ] | rules | 1 | 2",
                "{\\n\"rules\" : []\\n# rules\\nrules += { identity = \"*\", connect = true }\\n} | rules | 2 | 4",
                "rules = [\\n{ identity = \"*\", connect = false\\n // not this one\\n connect = true } ] | connect | 2 | 4",
                "rules = [ { identity = \"*\", connect = true, regions = [ { label = a, rights = read, label = \"**\" } ] } ] | label | 1 | 1",
                "rules = [ { identity = \"dns:a.b\", connect = false } { identity = \"*\", connect = true } ] | identity | 1 | 1",
                "rules = [ { identity = \"*\", connect = true, \"connect\" = false } ] | connect | 1 | 1",
            })
    void shouldRefuseAKeyThatIsRepeated(String text, String key, int first, int second) throws IOException {
        Path file = write(text.replace("\\n", "\n"));

        FairleadException refused = assertThrows(FairleadException.class, () -> AccessFileParser.read(file));

        String message = String.valueOf(refused.getMessage());
        assertTrue(message.startsWith("access file: a key is repeated"), message);
        assertTrue(message.contains("key=" + key) || message.contains(key + "\""), message);
        assertTrue(message.contains("first in line " + first + ";"), message);
        assertTrue(message.endsWith("(" + file + ":" + second + ")"), message);
    }

    @Test
    void shouldTakeWhatOnlyLooksLikeARepeatedKey() throws IOException {
        AccessRules rules = AccessFileParser.read(write("""
                        # rules = []
                        rules = [
                          { identity = "*" // identity = "a"
                            connect = true, publish = ["rules = 1", connect, \"""connect = false\"""]
                            services = "0x11"
                          },
                          { identity = "uri:spiffe://a/b", connect = true }
                          { identity = "*", connect = true }
                        ]
                        """));
        assertEquals(3, rules.count());
    }

    @Test
    void shouldAllowMessagesAndServicesByTheirRuleAlone() throws IOException {
        AccessRules rules = AccessFileParser.read(write("""
                        rules = [
                          { identity = "dns:feed-1.example.org", connect = true, messages = true, services = [17, "0x1100"] }
                          { identity = "dns:c.cache.example.org", connect = false, services = true }
                          { identity = "name:CN=p", connect = true }
                        ]
                        """));
        assertTrue(rules.messages(FEED).isAllowed());
        assertTrue(rules.request(FEED, 17).isAllowed());
        assertTrue(rules.request(FEED, 0x1100).isAllowed());
        assertFalse(rules.request(FEED, 18).isAllowed());
        assertFalse(rules.messages(CACHE).isAllowed());
        assertTrue(rules.request(CACHE, 0xFFFF_FFFF_FFFFL).isAllowed());
        assertEquals(
                "the rule of acl.conf about this peer does not allow it under messages",
                rules.messages(PUBLISHER).reason());
        assertFalse(rules.request(PUBLISHER, 0).isAllowed());
        assertFalse(rules.messages(PeerIdentity.ANONYMOUS).isAllowed());
        assertTrue(rules.listener(CACHE, from("10.0.0.1")).isAllowed());
        assertFalse(rules.listener(PeerIdentity.ANONYMOUS, from("10.0.0.1")).isAllowed());
    }

    @Test
    void shouldSayWhichFileIsMissingOrNoHocon() throws IOException {
        Path missing = folder.resolve("none.conf");
        FairleadException none = assertThrows(FairleadException.class, () -> AccessFileParser.read(missing));
        assertEquals("access file does not exist: file=" + missing + " (named by security.acl)", none.getMessage());

        Path broken = write("rules = [ {");
        FairleadException noHocon = assertThrows(FairleadException.class, () -> AccessFileParser.read(broken));
        String message = String.valueOf(noHocon.getMessage());
        assertTrue(message.startsWith("access file is not valid HOCON: "), message);
        assertEquals(1, message.lines().count(), message);
    }

    /** A change of what is included would not be seen. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "include \"more.conf\"",
                "include file(\"more.conf\")",
                "include classpath(\"more.conf\")",
                "include required(file(\"more.conf\"))"
            })
    void shouldRefuseAFileThatIncludesAnother(String include) throws IOException {
        Path file = write(include + "\nrules = []");

        FairleadException refused = assertThrows(FairleadException.class, () -> AccessFileParser.read(file));

        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("it may include nothing"), message);
        assertTrue(message.contains("include=more.conf"), message);
        assertTrue(message.contains(file.toString()), message);
    }

    @Test
    void shouldTakeChangedRulesByItself() throws IOException {
        Path file = write("rules = [ { identity = \"*\", connect = true } ]");
        Semaphore changes = new Semaphore(0);
        try (AccessFile rules = AccessFile.open(file, Duration.ofMillis(10), changes::release)) {
            assertTrue(rules.connect(FEED, from("192.0.2.1")).isAllowed());

            change(file, "rules = [ { identity = \"*\", connect = [\"10.0.0.0/8\"] } ]", 1);
            assertTimeoutPreemptively(DEADLINE, () -> changes.acquire());
            assertTrue(rules.connect(FEED, from("10.0.0.1")).isAllowed());
            assertFalse(rules.connect(FEED, from("192.0.2.1")).isAllowed());

            change(file, "rules = []", 2);
            assertTimeoutPreemptively(DEADLINE, () -> changes.acquire());
            assertFalse(rules.connect(FEED, from("10.0.0.1")).isAllowed());
        }
    }

    @Test
    void shouldKeepTheRulesOfAFileThatIsBrokenOrGone() throws IOException {
        Path file = write("rules = [ { identity = \"*\", connect = true } ]");
        Semaphore changes = new Semaphore(0);
        try (AccessFile rules = AccessFile.open(file, HOUR, changes::release)) {
            change(file, "rules = [ { identity = \"*\", connect = yes-please } ]", 1);
            rules.look();
            assertTrue(rules.connect(FEED, from("10.0.0.1")).isAllowed());

            Files.delete(file);
            rules.look();
            assertTrue(rules.connect(FEED, from("10.0.0.1")).isAllowed());
            assertEquals(0, changes.availablePermits());

            change(file, "rules = []", 2);
            rules.look();
            assertFalse(rules.connect(FEED, from("10.0.0.1")).isAllowed());
            assertEquals(1, changes.availablePermits());
        }
    }

    /** An edit of the same length within the same tick of the file system's clock looks like none. */
    @Test
    void shouldTakeRulesThatAreChangedAtOnceAndTellOfNoOthers() throws IOException {
        Path file = write("rules = [ { identity = \"*\", connect = true } ]");
        // Young for as long as the test takes.
        FileTime time = FileTime.fromMillis(2_000_000_000_000L);
        Files.setLastModifiedTime(file, time);
        Semaphore changes = new Semaphore(0);
        try (AccessFile rules = AccessFile.open(file, HOUR, changes::release)) {
            rules.look();
            assertEquals(0, changes.availablePermits(), "read again, and the same");

            Files.setLastModifiedTime(write("rules = [ { identity = \"*\", connect = [  ] } ]"), time);
            rules.look();
            assertFalse(rules.connect(FEED, from("10.0.0.1")).isAllowed());
            assertEquals(1, changes.availablePermits());
        }
    }

    /** Times of files are coarse, and two changes may follow each other at once. */
    private static void change(Path file, String text, int seconds) throws IOException {
        FileTime later = FileTime.fromMillis(2_000_000_000_000L + seconds * 1000L);
        Path made = Files.writeString(file.resolveSibling("made-" + seconds), text);
        Files.setLastModifiedTime(made, later);
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
