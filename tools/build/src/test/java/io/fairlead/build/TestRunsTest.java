package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** {@code ./fairlead test} runs each execution of Surefire by itself, so that its list has to name what the poms define. */
@Timeout(30)
final class TestRunsTest {
    /** UCX over its own tcp is run on request alone. */
    private static final String ON_REQUEST = "transport-ucx@ucx-tcp";

    private static final String EXECUTIONS =
            "//plugin[artifactId='maven-surefire-plugin']/executions/execution[goals/goal='test']/id";
    private static final Pattern LIST = Pattern.compile("^readonly LONGEST=\\(([^)]*)\\)", Pattern.MULTILINE);

    @Test
    void shouldRunEachExecutionOfEachModule() throws Exception {
        Set<String> defined = new TreeSet<>();
        for (Path folder : Repository.folders()) {
            Document pom = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(folder.resolve("pom.xml").toFile());
            addExecutions(Repository.root().relativize(folder).toString(), pom, defined);
        }
        defined.remove(ON_REQUEST);
        Set<String> run = new TreeSet<>(Arrays.asList(list().split("\\s+", -1)));
        run.removeIf(name -> !name.contains("@"));
        assertEquals(defined, run);
    }

    private static void addExecutions(String module, Document pom, Set<String> executions) throws Exception {
        NodeList found = (NodeList)
                XPathFactory.newDefaultInstance().newXPath().evaluate(EXECUTIONS, pom, XPathConstants.NODESET);
        for (int i = 0; i < found.getLength(); i++) {
            Node id = found.item(i);
            executions.add(module + "@" + id.getTextContent());
        }
    }

    private static String list() throws IOException {
        Matcher list = LIST.matcher(Files.readString(Repository.root().resolve("tools/build/test")));
        assertTrue(list.find());
        return list.group(1).strip();
    }
}
