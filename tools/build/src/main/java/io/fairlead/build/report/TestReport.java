package io.fairlead.build.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The results of a test class, from the report that Surefire writes.
 *
 * @param file the report
 * @param module the folder of the module that ran it
 * @param name the class, with its package
 * @param variant what the build has put in brackets behind the name, such as the transport that a suite ran over; empty for nothing
 * @param cases cases that were to run
 * @param failed cases that failed, by an assertion or another exception
 * @param skipped cases that were skipped
 */
public record TestReport(Path file, String module, String name, String variant, int cases, int failed, int skipped) {
    private static final String REPORTS = "target/surefire-reports";
    private static final Pattern NAME = Pattern.compile("([^(]*)(?:\\((.*)\\))?");

    /**
     * Reads the reports of all modules.
     *
     * @param root the folder of the modules
     * @return in the order of their files' names
     * @throws IOException if one cannot be read
     */
    public static List<TestReport> readAll(Path root) throws IOException {
        List<TestReport> reports = new ArrayList<>();
        for (Path module : modules(root)) {
            for (Path file : files(module.resolve(REPORTS))) {
                if (file.getFileName().toString().matches("TEST-.*\\.xml")) {
                    reports.add(read(module.getFileName().toString(), file));
                }
            }
        }
        return reports;
    }

    /** Modules are folders of the root, or folders of one that groups them. */
    private static List<Path> modules(Path root) throws IOException {
        List<Path> modules = new ArrayList<>();
        for (Path folder : files(root)) {
            if (Files.isDirectory(folder.resolve(REPORTS))) {
                modules.add(folder);
            } else {
                modules.addAll(files(folder));
            }
        }
        return modules;
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static TestReport read(String module, Path file) throws IOException {
        try (InputStream text = Files.newInputStream(file)) {
            XMLStreamReader xml = XMLInputFactory.newFactory().createXMLStreamReader(text);
            xml.nextTag();
            xml.require(XMLStreamReader.START_ELEMENT, null, "testsuite");
            Matcher name = NAME.matcher(attribute(xml, "name"));
            if (!name.matches()) {
                throw new XMLStreamException("not the name of a class: " + attribute(xml, "name"), xml.getLocation());
            }
            return new TestReport(
                    file,
                    module,
                    name.group(1),
                    name.group(2) == null ? "" : name.group(2),
                    number(xml, "tests"),
                    number(xml, "failures") + number(xml, "errors"),
                    number(xml, "skipped"));
        } catch (XMLStreamException | NumberFormatException malformed) {
            throw new IOException("not a report of Surefire: file=" + file + ", " + malformed.getMessage(), malformed);
        }
    }

    private static int number(XMLStreamReader xml, String name) throws XMLStreamException {
        return Integer.parseInt(attribute(xml, name));
    }

    private static String attribute(XMLStreamReader xml, String name) throws XMLStreamException {
        String value = xml.getAttributeValue(null, name);
        if (value == null) {
            throw new XMLStreamException("no attribute " + name, xml.getLocation());
        }
        return value;
    }

    /**
     * The name of the class alone.
     *
     * @return without package and enclosing class
     */
    public String simpleName() {
        return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    }

    /**
     * How many cases passed.
     *
     * @return the number of cases that neither failed nor were skipped
     */
    public int passed() {
        return cases - failed - skipped;
    }
}
