package io.fairlead.build.supply;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of {@code tools/build/sbom} finds what a bill may have wrong. */
final class BillOfMaterialsTest {
    private static final String APP = "own:app:1";
    private static final String LIBRARY = "other:library:2";
    private static final String EXTRA = "other:extra:3";
    private static final String LICENCE = "<licenses><license><id>MIT</id></license></licenses>";

    @TempDir
    private Path folder;

    private final SortedMap<String, Set<String>> released = new TreeMap<>();
    private String components = component(APP, LICENCE) + component(LIBRARY, LICENCE);
    private String dependencies = dependency(APP, LIBRARY) + dependency(LIBRARY);

    @BeforeEach
    void releaseOneArtifact() {
        released.put(APP, new TreeSet<>(Set.of(LIBRARY)));
    }

    @Test
    void shouldPassWhatIsComplete() throws IOException {
        assertEquals(List.of(), faults());
        assertEquals(2, read().size());
    }

    @Test
    void shouldMissAReleasedArtifact() throws IOException {
        released.put("own:new:1", Set.of());
        assertEquals(List.of("a released artifact is not in the bill: own:new:1"), faults());
    }

    @Test
    void shouldMissADependency() throws IOException {
        released.put(APP, Set.of(LIBRARY, EXTRA));
        String missing = "the bill does not say that an artifact brings this: " + EXTRA + ", artifact=" + APP;
        assertEquals(List.of(missing), faults());
        // To be in the list is not enough: the bill has to say whose it is.
        components += component(EXTRA, LICENCE);
        assertEquals(List.of(missing), faults());
        dependencies = dependency(APP, LIBRARY) + dependency(LIBRARY, EXTRA);
        assertEquals(List.of(), faults());
    }

    @Test
    void shouldMissTheVersionThatIsUsed() throws IOException {
        released.put(APP, Set.of("other:library:4"));
        assertEquals(
                List.of(
                        "the bill does not say that an artifact brings this: other:library:4, artifact=" + APP,
                        "the bill says that an artifact brings what it does not: " + LIBRARY + ", artifact=" + APP,
                        "a component comes with no released artifact, such as what only tests need: " + LIBRARY),
                faults());
    }

    @Test
    void shouldRefuseWhatOnlyTestsNeed() throws IOException {
        components += component(EXTRA, LICENCE);
        assertEquals(
                List.of("a component comes with no released artifact, such as what only tests need: " + EXTRA),
                faults());
    }

    @Test
    void shouldRefuseAComponentWithoutLicenceOrVersion() throws IOException {
        components = component(APP, LICENCE) + component(LIBRARY, "<licenses></licenses>");
        assertEquals(List.of("a component has no licence: " + LIBRARY), faults());
        components = component(APP, LICENCE) + component("other:library:", LICENCE);
        dependencies = dependency(APP, "other:library:");
        released.put(APP, Set.of("other:library:"));
        assertEquals(List.of("a component has no version: other:library:"), faults());
    }

    @Test
    void shouldLetAnArtifactOfferWhatUsersNeedNotTake() throws IOException {
        released.put("own:zed:1", Set.of(APP, LIBRARY, EXTRA));
        released.put(APP, Set.of(LIBRARY));
        components += component("own:zed:1", LICENCE) + component(EXTRA, LICENCE);
        dependencies = dependency("own:zed:1", APP) + dependency(APP, LIBRARY, EXTRA);
        assertEquals(
                List.of("the bill says that an artifact brings what it does not: " + EXTRA + ", artifact=" + APP),
                faults());
        assertEquals(List.of(), read().faults(released, Set.of(EXTRA)));
    }

    @Test
    void shouldHoldTheOtherDocumentToThisOne() throws IOException {
        Path json = folder.resolve("bom.json");
        Files.writeString(json, "{\"purl\" : \"pkg:root\", \"purl\":\"pkg:own:app:1\", \"purl\":\"pkg:extra\"}");
        assertEquals(
                List.of(
                        "only one of the documents in XML and JSON names this: pkg:other:library:2",
                        "only one of the documents in XML and JSON names this: pkg:extra"),
                read().faultsOfJson(json));
    }

    @Test
    void shouldReadWhatMavenResolved() {
        assertEquals(
                Set.of("io.netty:netty-common:4.2", "org.conscrypt:conscrypt:2.9", "io.netty:netty-native:4.3"),
                CheckBill.dependencies(List.of(
                        "The following files have been resolved:",
                        "   io.netty:netty-common:jar:4.2:compile -- module io.netty.common",
                        "   org.conscrypt:conscrypt:jar:2.9:compile (optional)",
                        "   io.netty:netty-native:jar:linux-x86_64:4.3:runtime",
                        "   none",
                        "")));
    }

    private List<String> faults() throws IOException {
        return read().faults(released, Set.of());
    }

    private BillOfMaterials read() throws IOException {
        Path file = folder.resolve("bom.xml");
        Files.writeString(
                file,
                "<bom><metadata>" + component("own:root:1", LICENCE).replace("pkg:own:root:1", "pkg:root")
                        + "</metadata><components>" + components + "</components><dependencies>" + dependencies
                        + "</dependencies></bom>");
        return BillOfMaterials.read(file);
    }

    private static String component(String coordinates, String licences) {
        String[] parts = coordinates.split(":", -1);
        return "<component bom-ref='pkg:" + coordinates + "'><group>" + parts[0] + "</group><name>" + parts[1]
                + "</name><version>" + parts[2] + "</version>" + licences + "<purl>pkg:" + coordinates
                + "</purl></component>";
    }

    private static String dependency(String coordinates, String... needed) {
        StringBuilder text = new StringBuilder("<dependency ref='pkg:" + coordinates + "'>");
        for (String each : needed) {
            text.append("<dependency ref='pkg:").append(each).append("'/>");
        }
        return text.append("</dependency>").toString();
    }
}
