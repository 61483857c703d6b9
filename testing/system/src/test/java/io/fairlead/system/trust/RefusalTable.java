package io.fairlead.system.trust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The table of refused peers in docs/security.md. */
final class RefusalTable {
    private static final Path FILE = RepositoryRoot.path().resolve("docs/security.md");
    private static final String BEGIN = "<!-- refused peers: begin -->\n";
    private static final String END = "<!-- refused peers: end -->\n";

    /**
     * A peer that does not get in.
     *
     * @param peer what it is
     * @param there what it is told, as a test has seen it
     * @param here what the victim logs, as a test has seen it
     */
    record Row(String peer, String there, String here) {}

    /**
     * An attack on the path of data, which a test of the transport makes.
     *
     * @param attack what it is
     * @param source the test's file
     * @param cases its methods
     */
    record Elsewhere(String attack, String source, List<String> cases) {}

    private static final List<Elsewhere> PATHS = List.of(
            new Elsewhere(
                    "READY with the proof of another connection (replayed READY), UCX",
                    "transport-ucx/src/test/java/io/fairlead/transport/ucx/ForgeryTest.java",
                    List.of("shouldTakeTheProofOfThisConnectionAlone")),
            new Elsewhere(
                    "ring of another connection, or of a stranger (spliced ring), shared memory",
                    "transport-shm/src/test/java/io/fairlead/transport/shm/HostilePacketTest.java",
                    List.of("shouldBelieveThePacketOfThisConnectionAlone", "shouldPassRingsWhateverStrangersSend")),
            new Elsewhere(
                    "wire-up message of another connection, or said again (spliced wire-up), UCX",
                    "transport-ucx/src/test/java/io/fairlead/transport/ucx/HostileWireUpTest.java",
                    List.of("shouldDropWireUpsOfOtherConnections", "shouldDropARequestThatIsSaidAgain")));

    private RefusalTable() {}

    /** Compares the document with what a run has seen, or rewrites its section. */
    static void check(List<Row> rows) throws IOException {
        String text = Files.readString(FILE);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        assertTrue(begin >= 0 && end > begin, () -> FILE + " has no section for the table");
        String expected = text.substring(0, begin) + BEGIN + section(rows) + text.substring(end);
        if ("rewrite".equals(System.getProperty("fairlead.table"))) {
            Files.writeString(FILE, expected);
        } else {
            assertEquals(
                    expected,
                    text,
                    "docs/security.md does not have the table of this run; run this test with -Dfairlead.table=rewrite");
        }
    }

    private static String section(List<Row> rows) throws IOException {
        StringBuilder section =
                new StringBuilder("\n| peer | what it is told | what the victim logs |\n|---|---|---|\n");
        for (Row row : rows) {
            section.append(String.format(Locale.ROOT, "| %s | %s | %s |%n", row.peer(), row.there(), row.here()));
        }
        section.append("\n| attack on the path of data | refused in |\n|---|---|\n");
        for (Elsewhere attack : PATHS) {
            String source = Files.readString(RepositoryRoot.path().resolve(attack.source()));
            for (String method : attack.cases()) {
                assertTrue(source.contains("void " + method + "("), () -> attack.source() + " has no " + method);
            }
            String file = attack.source().substring(attack.source().lastIndexOf('/') + 1);
            section.append(String.format(
                    Locale.ROOT,
                    "| %s | [%s](../%s): %s |%n",
                    attack.attack(),
                    file,
                    attack.source(),
                    String.join(", ", attack.cases())));
        }
        return section.append('\n').toString();
    }
}
