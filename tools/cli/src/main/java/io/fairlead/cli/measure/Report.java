package io.fairlead.cli.measure;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a comparison has measured, as every suite writes it.
 *
 * @param rows one figure each
 * @param goals what the figures are to reach
 */
public record Report(List<Row> rows, List<Goal> goals) {
    /** One figure. */
    public record Row(
            String suite,

            @com.fasterxml.jackson.annotation.JsonProperty("case")
            String name,

            String subject,
            long size,
            String metric,
            double value,
            String unit) {}

    /** A figure and what it is to be, at most or at least. */
    public record Goal(String id, double value, String bound, double goal, boolean met) {
        public static Goal atMost(String id, double value, double goal) {
            return new Goal(id, value, "at most", goal, value <= goal);
        }

        public static Goal atLeast(String id, double value, double goal) {
            return new Goal(id, value, "at least", goal, value >= goal);
        }

        /** As tables of goals have it. */
        public String line() {
            return String.format(
                    Locale.ROOT, "%-28s %8.3f, %s %.3f: %s", id, value, bound, goal, met ? "met" : "not met");
        }
    }

    public Report() {
        this(new ArrayList<>(), new ArrayList<>());
    }

    /** Adds a figure. */
    public void add(String suite, String name, String subject, long size, String metric, double value, String unit) {
        rows.add(new Row(suite, name, subject, size, metric, value, unit));
    }

    /** Fails unless the file can be written, before a run whose figures would be lost; leaves what is in it. */
    public static void checkWritable(Path file) {
        try {
            Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
        } catch (IOException failure) {
            throw unwritable(file, failure);
        }
    }

    private static CommandFailure unwritable(Path file, IOException failure) {
        return CommandFailure.failed("cannot write the report: file=" + file + "; " + FileProblem.of(failure)
                + "; name a file in a folder that exists");
    }

    public void write(Path file) {
        write(file, this);
    }

    /** Reads what {@link #write(Path)} has written. */
    public static Report read(Path file) {
        try {
            return JsonMapper.builder()
                    .enable(
                            DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                            DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .build()
                    .readValue(Files.readString(file), Report.class);
        } catch (IOException failure) {
            throw CommandFailure.failed("cannot read the report: file=" + file + "; " + FileProblem.of(failure));
        } catch (JacksonException malformed) {
            throw CommandFailure.failed("not a report of a comparison: file=" + file + "; name one that --json wrote");
        }
    }

    /** Writes any report as JSON. */
    public static void write(Path file, Object report) {
        try {
            Files.writeString(
                    file,
                    JsonMapper.builder()
                                    .enable(SerializationFeature.INDENT_OUTPUT)
                                    .build()
                                    .writeValueAsString(report) + "\n");
        } catch (IOException failure) {
            throw unwritable(file, failure);
        }
    }
}
