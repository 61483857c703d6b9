package io.fairlead.system.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The model of failover, which spin checks: the protocol keeps its promises, and breaks one without any of its rules. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FailoverModelTest {
    private static final CheckScript MODEL = CheckScript.of("testing/model");

    static List<String> runs() throws IOException, InterruptedException {
        return MODEL.names();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldEndAsExpected(String run) throws Exception {
        MODEL.check(run);
    }

    /** Each rule that the model can leave out has a run, and that run its trail. */
    @Test
    void shouldLeaveOutEachRuleOnce() throws Exception {
        List<String> rules = runs().stream()
                .filter(run -> run.equals(run.toUpperCase(Locale.ROOT)))
                .sorted()
                .toList();
        List<String> trails = new ArrayList<>();
        try (Stream<Path> files = Files.list(MODEL.folder().resolve("trails"))) {
            files.map(file -> file.getFileName().toString().replace(".txt", "")).forEach(trails::add);
        }
        assertEquals(rules, trails.stream().sorted().toList());
        String model = Files.readString(MODEL.folder().resolve("failover.pml"))
                + Files.readString(MODEL.folder().resolve("failback.pml"));
        assertEquals(
                rules,
                model.lines()
                        .filter(line -> line.matches("#ifn?def (?!CLOSES|ABORTS)[A-Z_]+( .*)?"))
                        .map(line -> line.split(" ", -1)[1])
                        .distinct()
                        .sorted()
                        .toList());
    }
}
