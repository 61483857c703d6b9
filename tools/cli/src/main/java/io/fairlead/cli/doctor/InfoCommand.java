package io.fairlead.cli.doctor;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.config.ConfigKey;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** Prints which transports there are, what they can do, and how everything is configured. */
@Command(
        name = "info",
        description = "Print the transports that were found, with version, capabilities or why they cannot be used, and"
                + " every configuration key with its default and, where another is set, its value.")
public final class InfoCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print the same as one JSON document.")
    private boolean json;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() {
        FairleadConfig settings = config.load();
        InfoReport report;
        try (Context context = Context.open(settings)) {
            report = new InfoReport(
                    context.transports().stream()
                            .map(InfoReport.TransportRow::of)
                            .toList(),
                    settings.keys().stream().map(key -> row(settings, key)).toList());
        }
        if (json) {
            System.out.println(JsonMapper.shared().writeValueAsString(report));
        } else {
            print(report);
        }
        return 0;
    }

    private static <T> InfoReport.KeyRow row(FairleadConfig settings, ConfigKey<T> key) {
        return new InfoReport.KeyRow(
                key.name(),
                key.format(key.defaultValue()),
                key.format(settings.value(key)),
                settings.origin(key),
                key.range(),
                key.environmentVariable(),
                key.description());
    }

    private static void print(InfoReport report) {
        for (InfoReport.TransportRow transport : report.transports()) {
            System.out.printf(
                    Locale.ROOT,
                    "transport %-8s  %s%n",
                    transport.name(),
                    transport.available()
                            ? "version " + transport.version() + ": " + String.join(", ", transport.capabilities())
                            : "not available: " + transport.cause());
        }
        System.out.println();
        int width = width(report.keys().stream().map(InfoReport.KeyRow::name).toList());
        String format = "%-" + width + "s  %s%n";
        for (InfoReport.KeyRow key : report.keys()) {
            String byDefault = key.byDefault().isEmpty() ? "empty" : key.byDefault();
            System.out.printf(
                    Locale.ROOT,
                    format,
                    key.name(),
                    key.value().equals(key.byDefault())
                            ? byDefault
                            : key.value() + "  (" + key.origin() + "; default " + byDefault + ")");
        }
    }

    private static int width(List<String> names) {
        return names.stream().mapToInt(String::length).max().orElse(1);
    }
}
