package io.fairlead.cli.top;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads Prometheus' text format 0.0.4, strictly: whatever is not a sample, a comment or an empty line is refused with its line.
 *
 * <p>Prometheus' own client writes the format and does not read it, and no kept library on Maven Central does.
 */
final class TextFormat {
    /** As much of a line as an error shows. */
    private static final int SHOWN_MAX = 60;

    private final String line;
    private final int number;
    private int at;

    private TextFormat(String line, int number) {
        this.line = line;
        this.number = number;
    }

    /** What was read is not in the format. */
    static final class FormatException extends Exception {
        private static final long serialVersionUID = 1L;

        FormatException(String message) {
            super(message);
        }
    }

    /** Every sample of a text. */
    static List<Sample> parse(String text) throws FormatException {
        List<Sample> samples = new ArrayList<>();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
                samples.add(new TextFormat(line, number).sample());
            }
        }
        return samples;
    }

    private Sample sample() throws FormatException {
        String name = name(true);
        Map<String, String> labels = new HashMap<>();
        skipBlanks();
        if (at < line.length() && line.charAt(at) == '{') {
            at++;
            readLabels(labels);
        }
        String[] rest = line.substring(at).strip().split("[ \t]+", -1);
        if (rest.length > 2 || (rest.length == 2 && !rest[1].matches("-?\\d{1,19}"))) {
            throw failure("a value, and at most a time stamp after it");
        }
        return new Sample(name, labels, value(rest[0]));
    }

    private void readLabels(Map<String, String> labels) throws FormatException {
        skipBlanks();
        while (!take('}')) {
            String key = name(false);
            skipBlanks();
            expect('=');
            skipBlanks();
            expect('"');
            if (labels.put(key, quoted()) != null) {
                throw failure("each label once");
            }
            skipBlanks();
            if (!take(',')) {
                expect('}');
                return;
            }
            skipBlanks();
        }
    }

    /** A name; metrics' names may contain colons. */
    private String name(boolean colons) throws FormatException {
        int start = at;
        while (at < line.length() && isNamePart(line.charAt(at), at > start, colons)) {
            at++;
        }
        if (at == start) {
            throw failure("a name");
        }
        return line.substring(start, at);
    }

    private static boolean isNamePart(char c, boolean digits, boolean colons) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '_'
                || (colons && c == ':')
                || (digits && c >= '0' && c <= '9');
    }

    private String quoted() throws FormatException {
        StringBuilder value = new StringBuilder();
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (c == '"') {
                return value.toString();
            }
            value.append(c == '\\' ? escaped() : c);
        }
        throw failure("an end of the quotation");
    }

    private char escaped() throws FormatException {
        char c = at < line.length() ? line.charAt(at++) : ' ';
        return switch (c) {
            case '\\', '"' -> c;
            case 'n' -> '\n';
            default -> throw failure("\\\\, \\\" or \\n");
        };
    }

    /** Go's notation, which has other words for what is no number. */
    private double value(String text) throws FormatException {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "nan" -> Double.NaN;
            case "inf", "+inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            default -> {
                if (!text.matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?")) {
                    throw failure("a number");
                }
                yield Double.parseDouble(text);
            }
        };
    }

    private boolean take(char c) {
        if (at < line.length() && line.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char c) throws FormatException {
        if (!take(c)) {
            throw failure("'" + c + "'");
        }
    }

    private void skipBlanks() {
        while (at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t')) {
            at++;
        }
    }

    private FormatException failure(String expected) {
        String shown = line.length() > SHOWN_MAX ? line.substring(0, SHOWN_MAX) + "…" : line;
        return new FormatException("line " + number + ": expected " + expected + " at column " + (at + 1) + " of '"
                + shown.replaceAll("\\p{Cntrl}", "?") + "'");
    }
}
