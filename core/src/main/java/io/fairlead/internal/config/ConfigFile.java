package io.fairlead.internal.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.fairlead.internal.config.FileEntry.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Reads the assignments of a configuration file. */
final class ConfigFile {
    /** The kind of file, for failures. */
    static final String WHAT = "configuration file";

    private ConfigFile() {}

    /**
     * Reads a file.
     *
     * @param file the file
     * @param namedBy the source of the name, for failures
     * @return its assignments in the order of their lines
     * @throws io.fairlead.FairleadException {@code CONFIGURATION} if it cannot be read or is not HOCON
     */
    static List<FileEntry> read(Path file, String namedBy) {
        ConfigObject root = HoconFile.read(file, WHAT, namedBy);
        List<Located> found = new ArrayList<>();
        collect("", root, file, found);
        found.sort(Comparator.comparing(Located::file)
                .thenComparingInt(Located::line)
                .thenComparing(located -> located.entry().name()));
        return found.stream().map(Located::entry).toList();
    }

    private record Located(FileEntry entry, String file, int line) {}

    private static void collect(String prefix, ConfigObject section, Path file, List<Located> found) {
        section.forEach((key, value) -> {
            String name = prefix.isEmpty() ? key : prefix + "." + key;
            if (value instanceof ConfigObject object && !object.isEmpty()) {
                collect(name, object, file, found);
                return;
            }
            ConfigOrigin origin = value.origin();
            String text = text(value);
            FileEntry entry = new FileEntry(name, kind(value), text, HoconFile.location(origin, file));
            found.add(new Located(entry, HoconFile.fileName(origin, file), origin.lineNumber()));
        });
    }

    private static Kind kind(ConfigValue value) {
        return switch (value.valueType()) {
            case NULL -> Kind.NOTHING;
            case OBJECT -> Kind.EMPTY_SECTION;
            default -> Kind.VALUE;
        };
    }

    private static String text(ConfigValue value) {
        if (value instanceof ConfigList list) {
            return list.stream().map(ConfigFile::text).collect(Collectors.joining(","));
        }
        // A number is rendered as written; its unwrapped form may differ.
        return value.valueType() == ConfigValueType.STRING
                ? value.unwrapped().toString()
                : value.render(ConfigRenderOptions.concise());
    }
}
