#!/usr/bin/env python3
"""The command line without a tunnel: help, completion, and what each mistake is answered with."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness

COMMANDS = ([], ["init"], ["init", "server"], ["invite"], ["clients"], ["revoke"], ["join"], ["up"],
            ["status"], ["id"], ["config"], ["config", "check"], ["completion"],
            ["completion", "bash"], ["help"])


def karst(*arguments, **options):
    return subprocess.run([harness.default_binary(), *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=30, **options)


class Help(unittest.TestCase):
    def test_every_command_explains_itself_on_80_columns_in_both_ways(self):
        for command in COMMANDS:
            by_option = karst(*command, "--help")
            by_command = karst("help", *command)
            self.assertEqual(by_option.returncode, 0, command)
            self.assertEqual(by_option.stdout, by_command.stdout)
            self.assertIn("Usage: karst", by_option.stdout)
            for line in by_option.stdout.split("\n"):
                self.assertLessEqual(len(line), 80, line)

    def test_the_manual_names_every_command(self):
        manual = (harness.ROOT / "man" / "karst.1").read_text()
        for command in COMMANDS:
            if command and command not in (["init"], ["config"], ["completion"]):
                self.assertIn("karst " + " ".join(command), manual)


@harness.needs("bash")
class Completion(unittest.TestCase):
    """What bash itself makes of the script."""

    def complete(self, line, folder="/"):
        """The words that bash offers at the end of the line."""
        words = line.split(" ")
        script = ('eval "$("$KARST" completion bash)"; COMP_WORDS=("$@"); '
                  'COMP_CWORD=$(($# - 1)); complete -p karst >/dev/null && _karst && '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-uc", script, "bash", *words], capture_output=True,
                              text=True, cwd=folder, timeout=30,
                              env=dict(os.environ, KARST=harness.default_binary()))
        self.assertEqual(done.stderr, "")
        return [word for word in done.stdout.split("\n") if word]

    def test_commands_options_and_their_parts(self):
        self.assertEqual(self.complete("karst sta"), ["status"])
        self.assertEqual(self.complete("karst init "), ["server", "--help"])
        self.assertIn("--listen", self.complete("karst init server --"))
        self.assertEqual(self.complete("karst status --j"), ["--json"])
        self.assertEqual(self.complete("karst --dir /tmp inv"), ["invite"])
        self.assertEqual(self.complete("karst help rev"), ["revoke"])

    def test_files_and_folders_where_those_are_wanted(self):
        work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        (work / "folder").mkdir()
        (work / "file.pem").touch()
        (work / "with space").mkdir()
        self.assertEqual(self.complete("karst up --dir f", work), ["folder"])
        self.assertEqual(self.complete("karst up --dir w", work), ["with space"])
        self.assertEqual(sorted(self.complete("karst init server --cert f", work)),
                         ["file.pem", "folder"])


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.node = harness.Node(self.work / "place")

    def refused(self, *command, code=2):
        done = self.node.run(*command, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("karst: "), done.stderr)
        return done.stderr

    def make_server(self, *more):
        self.node.run("init", "server", "--name", "cover.example", *more)

    def test_in_an_empty_place_every_command_says_where_to_begin(self):
        for command in (("up",), ("id",), ("config", "check")):
            error = self.refused(*command)
            self.assertIn("karst init server", error)
            self.assertIn("karst join", error)
            self.assertIn(str(self.node.dir), error)
        for command in (("invite", "alice"), ("clients",), ("revoke", "alice")):
            self.assertIn("karst init server", self.refused(*command))
        self.assertIn("karst init server", self.refused("status", code=3))
        self.assertFalse(self.node.dir.exists())

    def test_what_only_a_server_can_do_is_refused_by_name_on_a_client(self):
        self.node.dir.mkdir()
        (self.node.dir / "client.toml").write_text("")
        for command in (("invite", "alice"), ("clients",), ("revoke", "alice")):
            self.assertIn("holds a client", self.refused(*command))

    def test_a_host_name_that_is_none_is_named_as_it_was_given(self):
        self.assertIn('"a b" is not a host name', self.refused("init", "server", "--name", "a b"))

    def test_an_open_invite_is_taken_back_by_its_name(self):
        self.make_server()
        self.node.run("invite", "alice")
        self.assertIn("alice", self.node.run("revoke", "alice").stdout)
        self.assertEqual(json.loads(self.node.run("clients", "--json").stdout)["invites"], [])
        self.assertIn("no client or open invite named alice", self.refused("revoke", "alice",
                                                                           code=1))
        self.node.run("invite", "alice")

    def test_what_is_left_of_something_unfinished_is_told_from_a_server(self):
        self.node.dir.mkdir()
        (self.node.dir / "tls.key").touch()
        self.assertIn("unfinished: remove it", self.refused("init", "server", "--name", "x.example",
                                                            code=1))
        (self.node.dir / "tls.key").unlink()
        self.make_server()
        self.assertNotIn("unfinished", self.refused("init", "server", "--name", "x.example",
                                                    code=1))


class Client(unittest.TestCase):
    def test_one_without_a_proxy_is_warned_that_nothing_can_use_the_tunnel(self):
        with harness.pair(client_settings={"proxy": {"listen": []}}) as (_, client, __):
            log = client.log()
            self.assertIn("warning no-proxy: nothing can use the tunnel", log)
            self.assertIn("[proxy]", log)
            self.assertIn("nothing uses the tunnel", client.run("status").stdout)

    def test_a_password_file_that_others_can_read_is_found_by_config_check(self):
        with harness.pair() as (_, client, __):
            secret = client.dir / "proxy.password"
            secret.write_text("sesame\n")
            secret.chmod(0o644)
            client.set("proxy", user="me", password_file="proxy.password")
            for command in (("config", "check"), ("up",)):
                if command == ("up",):
                    client.stop()
                done = client.run(*command, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"chmod 600 {secret}", done.stderr)

    def test_a_proxy_port_in_use_is_named_with_what_to_do(self):
        with harness.pair() as (_, client, socks):
            client.stop()
            with harness.TcpServer(harness.echo) as taken:
                client.set("proxy", listen=[f"127.0.0.1:{taken.port}"])
                done = client.run("up", check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"127.0.0.1:{taken.port}: another program already uses this address",
                              done.stderr)
                self.assertIn("[proxy]", done.stderr)

    def test_join_stops_at_once_where_trying_again_cannot_help(self):
        with harness.pair() as (server, _, __):
            uri = server.run("invite", "bob").stdout.strip()
            server.run("revoke", "bob")
            bob = harness.Node(server.dir.parent / "bob")
            done = bob.run("join", uri, check=False, timeout=10)
            self.assertEqual(done.returncode, 1)
            self.assertIn("does not accept this client", done.stderr)
            self.assertIn("to do: ask the server's keeper for a new invite", done.stderr)
            self.assertNotIn("with the same invite", done.stderr)

    def test_what_init_and_join_say_to_type_next_names_the_directory(self):
        with harness.pair() as (server, _, __):
            base = server.dir.parent
            made = harness.Node(base / "made").run("init", "server", "--name", "cover.example")
            self.assertIn(f"karst up --dir {base / 'made'} ", made.stdout)
            self.assertIn(f"karst invite alice --dir {base / 'made'} ", made.stdout)
            uri = server.run("invite", "bob").stdout.strip()
            joined = harness.Node(base / "bob").run("join", uri)
            self.assertIn(f"karst up --dir {base / 'bob'} ", joined.stdout)


class Status(unittest.TestCase):
    def test_both_ends_agree_on_what_went_over_the_wire_and_it_is_little_more(self):
        size = 8 << 20
        with harness.pair() as (server, client, socks):
            def source(connection):
                connection.sendall(bytes(size))

            with harness.TcpServer(source) as far:
                s = harness.socks_connect(socks, "127.0.0.1", far.port)
                self.assertEqual(harness.discard(s), size)
                s.close()

            def links():
                return client.status()["links"][0], server.status()["links"][0]

            harness.wait_until(
                lambda: links()[0]["receive"]["wire_bytes"] == links()[1]["send"]["wire_bytes"], 5,
                "agreement")
            received = links()[0]["receive"]
            self.assertEqual(received["bytes"], size)
            self.assertGreater(received["wire_bytes"], size)
            self.assertLess(received["wire_bytes"], size * 1.05)
            self.assertRegex(client.run("status").stdout, r"on the wire +[^,]+ sent, "
                                                          r"8\.\d MiB \(\+\d\.\d %\) received")

    def test_it_fits_80_columns_on_both_sides_idle_or_not(self):
        with harness.pair() as (server, client, _):
            for node in (server, client):
                for line in node.run("status").stdout.split("\n"):
                    self.assertLessEqual(len(line), 80, line)
            server.stop()
            harness.wait_until(lambda: client.status().get("advice"), 5, "advice")
            text = client.run("status").stdout
            self.assertIn("to do       is `karst up` running there", text)


if __name__ == "__main__":
    harness.run_tests()
