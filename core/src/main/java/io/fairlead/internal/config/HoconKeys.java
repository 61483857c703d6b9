package io.fairlead.internal.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigUtil;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds a duplicate key in a section of a HOCON text, without parsing it: the parser lets the last one silently replace
 * or extend the others. The text must be valid HOCON.
 */
final class HoconKeys {
    /**
     * A duplicate key.
     *
     * @param key the key as written
     * @param line the line of the second one
     * @param firstLine the line of the first one
     */
    record Repeated(String key, int line, int firstLine) {}

    private final String text;
    /** For each open section or list, the keys so far and their lines; a list has none. */
    private final ArrayDeque<Map<List<String>, Integer>> open = new ArrayDeque<>();

    private final ArrayDeque<Boolean> lists = new ArrayDeque<>();
    /** The beginning of text that may be a key; negative after the key. */
    private int keyAt;

    /** The keys of the last closed section, and its line: a section that begins on the same line is merged with it. */
    private Map<List<String>, Integer> closed = Map.of();

    private int closedAt = -1;

    private int line = 1;
    private int at;

    private HoconKeys(String text) {
        this.text = text;
    }

    /** The first duplicate key; null if there is none. */
    static @Nullable Repeated repeatedIn(String text) {
        return new HoconKeys(text).scan();
    }

    private @Nullable Repeated scan() {
        push(new HashMap<>(), false);
        while (at < text.length() && !open.isEmpty()) {
            Repeated found = take(text.charAt(at));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable Repeated take(char next) {
        switch (next) {
            case '"' -> {
                int end = HoconNesting.endOfQuoted(text, at);
                line += (int)
                        text.substring(at, end).chars().filter(c -> c == '\n').count();
                at = end;
            }
            case '#' -> skipComment();
            case '/' -> {
                if (text.startsWith("//", at)) {
                    skipComment();
                } else {
                    at++;
                }
            }
            case '=', ':' -> {
                return endKey(at++);
            }
            case '{' -> {
                Repeated found = endKey(at);
                boolean merged = keyAt < 0
                        && closedAt >= 0
                        && text.substring(closedAt, at).isBlank();
                Map<List<String>, Integer> keys = merged ? closed : new HashMap<>();
                at++;
                push(keys, false);
                return found;
            }
            case '[' -> {
                at++;
                push(new HashMap<>(), true);
            }
            case '}', ']' -> {
                at++;
                closed = open.pop();
                closedAt = Boolean.TRUE.equals(lists.pop()) ? -1 : at;
                keyAt = -1;
            }
            case ',', '\n' -> {
                line += next == '\n' ? 1 : 0;
                closedAt = -1;
                // A key may be on a line of its own, before its separator.
                if (next == ',' || keyAt < 0 || text.substring(keyAt, at).isBlank()) {
                    keyAt = at + 1;
                }
                at++;
            }
            default -> at++;
        }
        return null;
    }

    /** A key ends here, unless this is inside a value. The braces around the whole text have none. */
    private @Nullable Repeated endKey(int end) {
        if (keyAt < 0 || Boolean.TRUE.equals(lists.peek())) {
            return null;
        }
        String written = stripComments(text.substring(keyAt, end)).strip();
        String key = written.endsWith("+")
                ? written.substring(0, written.length() - 1).strip()
                : written;
        keyAt = -1;
        if (key.isEmpty()) {
            return null;
        }
        List<String> path;
        try {
            path = ConfigUtil.splitPath(key);
        } catch (ConfigException noPath) {
            path = List.of(key);
        }
        Integer first = open.element().putIfAbsent(path, line);
        return first == null ? null : new Repeated(key, line, first);
    }

    /** Comments before a key are not part of it. */
    private static String stripComments(String written) {
        StringBuilder kept = new StringBuilder();
        for (String part : written.split("\n", -1)) {
            String stripped = part.strip();
            if (!stripped.startsWith("#") && !stripped.startsWith("//")) {
                kept.append(part).append('\n');
            }
        }
        return kept.toString();
    }

    private void push(Map<List<String>, Integer> keys, boolean list) {
        open.push(keys);
        lists.push(list);
        keyAt = at;
    }

    private void skipComment() {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
        if (keyAt >= 0 && stripComments(text.substring(keyAt, at)).isBlank()) {
            keyAt = at;
        }
    }
}
