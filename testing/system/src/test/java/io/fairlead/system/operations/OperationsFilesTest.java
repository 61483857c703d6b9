package io.fairlead.system.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.metrics.FairleadMeter;
import io.fairlead.metrics.MeterTag;
import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Alerts and dashboard name nothing that is not in the catalogue, and leave nothing unsaid; no Prometheus is needed to see that. */
@Timeout(60)
final class OperationsFilesTest {
    static final Path CONFIG = RepositoryRoot.path().resolve("config");

    /** The grid that Grafana lays panels out on. */
    private static final int GRID_COLUMNS = 24;

    private static final Pattern METRIC = Pattern.compile("\\bfairlead_[a-z_]+\\b");
    private static final Pattern SELECTOR = Pattern.compile("\\b(fairlead_[a-z_]+)\\{([^}]*)}");
    private static final Pattern LABEL = Pattern.compile("([a-z]+)(=~|!~|!=|=)\"([^\"]*)\"");
    /** Of the target, and of a histogram's bucket. */
    private static final Set<String> OTHER_LABELS = Set.of("job", "instance", "le");

    private static final YAMLMapper YAML = YAMLMapper.builder().build();

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yml", "alerts-test.yml", "grafana-dashboard.json"})
    void shouldNameOnlyWhatTheCatalogueLists(String file) throws IOException {
        Map<String, FairleadMeter> series = series();
        String text = Files.readString(CONFIG.resolve(file)).replace("\\\"", "\"");
        Set<String> named = METRIC.matcher(text)
                .results()
                .map(found -> found.group())
                .collect(Collectors.toCollection(TreeSet::new));
        assertFalse(named.isEmpty());
        named.removeAll(series.keySet());
        assertEquals(Set.of(), named, () -> file + " names what the catalogue does not list");

        Matcher selector = SELECTOR.matcher(text);
        while (selector.find()) {
            Matcher label = LABEL.matcher(selector.group(2));
            while (label.find()) {
                assertLabelOf(series.get(selector.group(1)), label.group(1), label.group(2), label.group(3));
            }
        }
    }

    /** The names under which a Prometheus has the meters. */
    private static Map<String, FairleadMeter> series() {
        Map<String, FairleadMeter> names = new HashMap<>();
        for (FairleadMeter meter : FairleadMeter.values()) {
            String name = meter.prometheusName();
            Stream.of("_bucket", "_count", "_sum")
                    .filter(_ -> meter.type() == FairleadMeter.Type.HISTOGRAM)
                    .forEach(suffix -> names.put(name + suffix, meter));
            if (meter.type() != FairleadMeter.Type.HISTOGRAM) {
                names.put(name, meter);
            }
        }
        return names;
    }

    private static void assertLabelOf(FairleadMeter meter, String label, String operator, String value) {
        if (OTHER_LABELS.contains(label)) {
            return;
        }
        MeterTag tag = meter.tags().stream()
                .filter(candidate -> candidate.key().equals(label))
                .findFirst()
                .orElseThrow(() -> new AssertionError(meter.prometheusName() + " has no label " + label));
        assertTrue(
                operator.endsWith("~")
                        || tag.choices().isEmpty()
                        || tag.choices().contains(value),
                () -> meter.prometheusName() + " never has " + label + "=" + value + ", but " + tag.choices());
    }

    @Test
    void shouldSayForEachAlertWhatToDoAndTestThatItFiresAndThatItDoesNot() throws IOException {
        Map<String, List<Boolean>> cases = new TreeMap<>();
        for (JsonNode test : yaml("alerts-test.yml").get("tests")) {
            for (JsonNode expected : test.get("alert_rule_test")) {
                cases.computeIfAbsent(expected.get("alertname").asString(), _ -> new ArrayList<>())
                        .add(!expected.get("exp_alerts").isEmpty());
            }
        }
        Set<String> names = new TreeSet<>();
        for (JsonNode rule : yaml("alerts.yml").get("groups").get(0).get("rules")) {
            String name = rule.get("alert").asString();
            assertTrue(names.add(name), () -> "two alerts are named " + name);
            assertTrue(
                    Set.of("info", "warning", "critical")
                            .contains(rule.get("labels").get("severity").asString()),
                    name);
            assertFalse(rule.get("annotations").get("summary").asString().isBlank(), name);
            assertFalse(rule.get("annotations").get("remedy").asString().isBlank(), name);
            assertTrue(
                    cases.getOrDefault(name, List.of()).containsAll(List.of(true, false)),
                    () -> name + " has no case where it fires, or none where it does not: " + cases.get(name));
        }
        assertEquals(names, cases.keySet());
    }

    @Test
    void shouldScrapeThePortsThatTheDemoTakes() throws IOException {
        JsonNode job = yaml("prometheus.yml").get("scrape_configs").get(0);
        assertEquals("fairlead", job.get("job_name").asString());
        List<String> targets = new ArrayList<>();
        for (JsonNode group : job.get("static_configs")) {
            targets.add(group.get("labels").get("process").asString() + " "
                    + group.get("targets").get(0).asString());
        }
        assertEquals(
                List.of(
                        "publisher 127.0.0.1:9464",
                        "fast 127.0.0.1:9465",
                        "steady 127.0.0.1:9466",
                        "slow 127.0.0.1:9467"),
                targets);
    }

    @Test
    void shouldDrawEveryPanelFromTheChosenDataSource() throws IOException {
        JsonNode dashboard = dashboard();
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            String title = panel.get("title").asString();
            assertTrue(ids.add(panel.get("id").asInt()), () -> "two panels have the id of " + title);
            JsonNode place = panel.get("gridPos");
            for (int x = place.get("x").asInt();
                    x < place.get("x").asInt() + place.get("w").asInt();
                    x++) {
                assertTrue(x < GRID_COLUMNS, () -> title + " is beyond the grid");
                for (int y = place.get("y").asInt();
                        y < place.get("y").asInt() + place.get("h").asInt();
                        y++) {
                    assertTrue(cells.add(x + " " + y), () -> title + " lies upon another panel");
                }
            }
            if (panel.get("type").asString().equals("row")) {
                continue;
            }
            assertFalse(panel.get("description").asString().isBlank(), title);
            assertEquals("${datasource}", panel.get("datasource").get("uid").asString(), title);
            assertFalse(panel.get("targets").isEmpty(), title);
        }
    }

    /** Meters of single topics are not: the demo names none. */
    @Test
    void shouldShowEveryMeterThatAProcessHasByItself() throws IOException {
        Set<String> shown = new TreeSet<>();
        for (String expression : expressions()) {
            METRIC.matcher(expression).results().forEach(found -> shown.add(found.group()));
        }
        Set<FairleadMeter> absent = Arrays.stream(FairleadMeter.values())
                .filter(meter -> !meter.tags().contains(MeterTag.TOPIC))
                .filter(meter -> shown.stream().noneMatch(name -> name.startsWith(meter.prometheusName())))
                .collect(Collectors.toSet());
        assertEquals(Set.of(), absent);
    }

    /** Every expression of the dashboard. */
    static List<String> expressions() throws IOException {
        List<String> all = new ArrayList<>();
        for (JsonNode panel : dashboard().get("panels")) {
            for (JsonNode target : panel.path("targets")) {
                all.add(target.get("expr").asString());
            }
        }
        return all;
    }

    private static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(CONFIG.resolve("grafana-dashboard.json")));
    }

    private static JsonNode yaml(String file) throws IOException {
        return YAML.readTree(Files.readString(CONFIG.resolve(file)));
    }
}
